uniform vec3 toEye;
in vec3 worldNormal;
in vec4 vertexColor;
out vec4 outColor;
void main() {
    float facing = abs(dot(normalize(worldNormal), toEye));
    outColor = vec4(vertexColor.rgb * mix(0.55, 1.0, facing), vertexColor.a);
}
