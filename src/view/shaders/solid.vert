uniform mat4 clipFromWorld;
in vec3 position;
in vec3 normal;
in vec4 color;
out vec3 worldNormal;
out vec4 vertexColor;
void main() {
    worldNormal = normal;
    vertexColor = color;
    gl_Position = clipFromWorld * vec4(position, 1.0);
}
