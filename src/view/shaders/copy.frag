uniform sampler2D picture;
in vec2 across;
out vec4 outColor;
void main() {
    outColor = texture(picture, across * 0.5 + 0.5);
}
