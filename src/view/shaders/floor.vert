uniform mat4 clipFromWorld;
uniform vec3 center;
uniform float radius;
in vec3 position;               // corners of the square from -1 to 1
out vec3 worldPosition;
void main() {
    worldPosition = center + vec3(position.x, 0.0, position.y) * radius;
    gl_Position = clipFromWorld * vec4(worldPosition, 1.0);
}
