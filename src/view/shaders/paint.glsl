// A surface's own colour and opacity, shared by all passes over skin.
uniform vec4 baseColor;         // linear
uniform bool hasPicture;
uniform sampler2D picture;      // sRGB
uniform int alphaMode;          // 0 solid, 1 cut out, 2 the solid part of a blend, 3 the rest of it
uniform float alphaCutoff;

vec3 linearFromSrgb(vec3 c) {
    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
}

// Colour and opacity here; what is cut out is discarded.
vec4 surfaceColor(vec2 uv, vec4 vertexColor) {
    vec4 c = baseColor * vertexColor;
    if (hasPicture) {
        vec4 texel = texture(picture, uv);
        c *= vec4(linearFromSrgb(texel.rgb), texel.a);
    }
    if (alphaMode == 1 && c.a < alphaCutoff) discard;
    if (alphaMode == 2 && c.a < 0.96) discard;
    if (alphaMode == 3 && (c.a >= 0.96 || c.a < 0.004)) discard;
    if (alphaMode != 3) c.a = 1.0;
    return c;
}
