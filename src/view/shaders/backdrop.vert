in vec3 position;               // corners of the square from -1 to 1
out vec2 across;
void main() {
    across = position.xy;
    gl_Position = vec4(position.xy, 0.0, 1.0);
}
