// The studio's light, shared by skin and floor: one soft key with a shadow, a fill from the other side, a dome.
uniform mat4 shadowFromWorld;
uniform sampler2D shadowMap;
uniform float shadowTexel;      // size of the penumbra, in shadow-map coordinates

const vec2 DISK[16] = vec2[16](
    vec2(-0.942, -0.399), vec2( 0.945, -0.768), vec2(-0.094, -0.929), vec2( 0.344,  0.293),
    vec2(-0.915,  0.457), vec2(-0.815, -0.879), vec2(-0.382,  0.276), vec2( 0.974,  0.756),
    vec2( 0.443, -0.975), vec2( 0.537, -0.473), vec2(-0.264, -0.418), vec2( 0.791,  0.190),
    vec2(-0.241,  0.997), vec2(-0.814,  0.914), vec2( 0.199,  0.786), vec2( 0.143, -0.141));

// Share of the key light that arrives at `p`, 0 to 1.
float keyLight(vec3 p, float bias, float softness) {
    vec3 s = (shadowFromWorld * vec4(p, 1.0)).xyz * 0.5 + 0.5;
    if (any(lessThan(s, vec3(0.0))) || any(greaterThan(s, vec3(1.0)))) return 1.0;
    float lit = 0.0;
    for (int i = 0; i < 16; ++i) {
        float depth = texture(shadowMap, s.xy + DISK[i] * shadowTexel * softness).r;
        lit += step(s.z - bias, depth);
    }
    return lit / 16.0;
}

vec3 srgbFromLinear(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}

// Keeps colours what they are below 0.76 and rolls highlights off above. Based on: Khronos PBR Neutral, 2024.
vec3 toneMap(vec3 c) {
    float low = min(c.r, min(c.g, c.b));
    float offset = low < 0.08 ? low - 6.25 * low * low : 0.04;
    c -= offset;
    float peak = max(c.r, max(c.g, c.b));
    if (peak < 0.76) return c;
    float d = 0.24;
    float newPeak = 1.0 - d * d / (peak + d - 0.76);
    c *= newPeak / peak;
    float g = 1.0 - 1.0 / (0.15 * (peak - newPeak) + 1.0);
    return mix(c, vec3(newPeak), g);
}
