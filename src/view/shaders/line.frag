uniform float dash;             // metres
uniform float widthPx;
in vec4 lineColor;
in float along;
in float across;
out vec4 outColor;
void main() {
    if (lineColor.a < 0.0 && fract(along / dash) > 0.6) discard;
    float edge = clamp((1.0 - abs(across)) * (widthPx + 1.0) * 0.5, 0.0, 1.0);
    outColor = vec4(lineColor.rgb, abs(lineColor.a) * edge);
}
