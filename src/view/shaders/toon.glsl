// MToon: two tones, a rim, a matcap, the colour of an outline. Based on: VRMC_materials_mtoon 1.0.
uniform vec3 shadeColor;        // linear
uniform bool hasShadePicture;
uniform sampler2D shadePicture; // sRGB
uniform vec2 tones;             // how sharp the edge between them is, what is added to the cosine of the light
uniform bool hasShading;
uniform sampler2D shading;      // red, as it stands
uniform vec2 shadingShares;     // of what red lacks, taken from the light; of red, added to the cosine
uniform vec3 rimColor;          // linear
uniform vec3 rimShape;          // power, lift, share of the light
uniform bool hasRimPicture;
uniform sampler2D rimPicture;   // sRGB
uniform bool hasMatcap;
uniform sampler2D matcap;       // sRGB
uniform vec3 matcapColor;       // linear
uniform vec3 eyeUp;             // upwards in the picture, world
uniform bool isOutline;
uniform vec3 outlineColor;      // linear
uniform float outlineMix;       // share of the surface's own shading

// From 0 in the shade to 1 in the light.
float toonLight(vec2 uv, float facing, float reached) {
    if (hasShading) {
        float red = texture(shading, uv).r;
        facing = (facing + 1.0) * (1.0 - shadingShares.x * (1.0 - red)) - 1.0 + shadingShares.y * red;
    }
    float soft = max(1.0 - tones.x, 1e-3);
    return clamp((facing + tones.y + soft) / (2.0 * soft), 0.0, 1.0) * smoothstep(0.3, 0.7, reached);
}

vec3 toonShade(vec2 uv, vec3 vertexColor) {
    vec3 c = shadeColor * vertexColor;
    return hasShadePicture ? c * linearFromSrgb(texture(shadePicture, uv).rgb) : c;
}

vec3 toonRim(vec2 uv, vec3 n, vec3 v, float reached) {
    float edge = clamp(1.0 - dot(n, v) + rimShape.y, 0.0, 1.0);
    vec3 rim = rimColor * pow(edge, rimShape.x);
    if (hasMatcap) {
        vec3 x = normalize(cross(eyeUp, v));
        vec2 at = 0.5 + 0.495 * vec2(dot(x, n), dot(cross(v, x), n));
        rim += matcapColor * linearFromSrgb(texture(matcap, at).rgb);
    }
    if (hasRimPicture) rim *= linearFromSrgb(texture(rimPicture, uv).rgb);
    return rim * mix(1.0, reached, rimShape.z);
}
