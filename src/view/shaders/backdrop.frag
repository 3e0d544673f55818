uniform vec3 inner;
uniform vec3 outer;
in vec2 across;
out vec4 outColor;
void main() {
    float away = length((across - vec2(0.0, 0.1)) * vec2(0.75, 0.85));
    vec3 c = mix(inner, outer, smoothstep(0.0, 1.25, away));
    // Half a step of noise keeps the gradient from banding.
    float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
    outColor = vec4(c + noise / 255.0, 1.0);
}
