uniform vec4 wireColor;
out vec4 outColor;
void main() {
    outColor = wireColor;
}
