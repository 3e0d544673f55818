uniform vec3 center;
uniform float radius;
uniform float cell;             // metres between fine lines; every tenth is strong
uniform vec3 lineColor;
uniform float lineStrength;
uniform vec3 shadowColor;
uniform float shadowStrength;
uniform sampler2D contactMap;   // height of the lowest skin over each point of the floor
uniform vec2 contactCenter;
uniform float contactRadius;
uniform float contactRange;     // metres that depth 1 stands for
uniform float contactFade;      // metres at which the contact has faded to a third

in vec3 worldPosition;
out vec4 outColor;

float lines(vec2 p, float step) {
    vec2 q = p / step;
    vec2 width = fwidth(q);
    vec2 distance = abs(fract(q - 0.5) - 0.5) / max(width, vec2(1e-6));
    // Where lines would crowd below a few pixels they fade away instead of flickering.
    float room = 1.0 - smoothstep(0.15, 0.5, max(width.x, width.y));
    return (1.0 - min(min(distance.x, distance.y), 1.0)) * room;
}

float contact(vec2 p) {
    vec2 c = (p - contactCenter) / (2.0 * contactRadius) + 0.5;
    if (any(lessThan(c, vec2(0.02))) || any(greaterThan(c, vec2(0.98)))) return 0.0;
    float dark = 0.0;
    float spread = contactFade / contactRadius;
    for (int ring = 1; ring <= 2; ++ring) {
        for (int i = 0; i < 16; ++i) {
            float depth = texture(contactMap, c + DISK[i] * spread * float(ring) * 0.5).r;
            dark += depth < 1.0 ? exp(-depth * contactRange / contactFade) : 0.0;
        }
    }
    return dark / 32.0;
}

void main() {
    float away = length(worldPosition.xz - center.xz) / radius;
    float fade = 1.0 - smoothstep(0.25, 1.0, away);
    float grid = max(lines(worldPosition.xz, cell) * 0.35, lines(worldPosition.xz, cell * 10.0));
    float dark = 1.0 - keyLight(worldPosition, 0.002, 2.6);
    dark = 1.0 - (1.0 - dark * 0.55) * (1.0 - contact(worldPosition.xz) * 0.75);
    float shade = dark * shadowStrength * fade;
    float line = grid * lineStrength * fade;
    // The shadow over the lines, over whatever is behind the floor.
    float alpha = shade + line * (1.0 - shade);
    vec3 color = alpha > 0.0 ? (shadowColor * shade + lineColor * line * (1.0 - shade)) / alpha : lineColor;
    outColor = vec4(color, alpha);
}
