in vec4 vertexColor;
in vec2 pictureUv;
void main() {
    // Hair cards throw the shadow of their hair.
    surfaceColor(pictureUv, vertexColor);
}
