// Linear blend skinning with any number of influences: they stand in a table, not in attributes.
uniform mat4 clipFromWorld;
uniform mat4 worldFromMesh;
uniform bool isSkinned;
uniform sampler2D influences;   // r: joint, g: weight; row by row
uniform sampler2D palette;      // three texels a joint: the rows of world-from-mesh
uniform int influencesWidth;
uniform vec3 pictureU;          // picture-from-uv, row by row
uniform vec3 pictureV;
uniform float pull;             // towards the eye, in clip space: lines drawn over the skin they lie on
uniform float outlineWidth;     // metres from the surface; 0 for the surface itself
uniform bool outlineOnScreen;   // heights of the picture instead of metres
uniform sampler2D outlineMask;  // multiplies the width
uniform vec3 outlineChannel;    // by which of its colours; zero where there is no mask

in vec3 position;
in vec3 normal;
in vec4 color;
in vec4 tint;
in float heat;                  // 0 to 1; below 0 for none
in vec2 uv;
in uvec2 span;                  // first influence, number of influences

out vec3 worldPosition;
out vec3 worldNormal;
out vec4 vertexColor;
out vec4 vertexTint;
out float vertexHeat;
out vec2 pictureUv;

mat3x4 jointRows(int joint) {
    return mat3x4(texelFetch(palette, ivec2(0, joint), 0),
                  texelFetch(palette, ivec2(1, joint), 0),
                  texelFetch(palette, ivec2(2, joint), 0));
}

void main() {
    vec3 p = (worldFromMesh * vec4(position, 1.0)).xyz;
    vec3 n = mat3(worldFromMesh) * normal;
    if (isSkinned) {
        mat3x4 blend = mat3x4(0.0);
        float sum = 0.0;
        int first = int(span.x);
        for (int i = 0; i < int(span.y); ++i) {
            int at = first + i;
            vec2 influence =
                texelFetch(influences, ivec2(at % influencesWidth, at / influencesWidth), 0).rg;
            blend += jointRows(int(influence.r)) * influence.g;
            sum += influence.g;
        }
        if (sum > 0.0) {
            p = (vec4(position, 1.0) * blend) / sum;
            n = vec4(normal, 0.0) * blend;
        }
    }
    vec3 at = vec3(uv, 1.0);
    // Rows of a picture stand on the card from the bottom.
    pictureUv = vec2(dot(pictureU, at), 1.0 - dot(pictureV, at));
    if (outlineWidth > 0.0 && dot(n, n) > 0.0) {
        // Rows of a view are unit vectors, so what stretches the second one is the projection.
        float stretch = length(vec3(clipFromWorld[0].y, clipFromWorld[1].y, clipFromWorld[2].y));
        float height = 2.0 * (clipFromWorld * vec4(p, 1.0)).w / stretch;
        float width = outlineWidth * (outlineOnScreen ? max(height, 0.0) : 1.0);
        if (dot(outlineChannel, outlineChannel) > 0.0)
            width *= dot(textureLod(outlineMask, pictureUv, 0.0).rgb, outlineChannel);
        p += normalize(n) * width;
    }
    worldPosition = p;
    worldNormal = n;
    vertexColor = color;
    vertexTint = tint;
    vertexHeat = heat;
    gl_Position = clipFromWorld * vec4(p, 1.0);
    gl_Position.z -= pull * gl_Position.w;
}
