// A pale studio, as pictures of `taut render` have it: a broad light, a sky above, a floor that is the backdrop but for the light it
// lacks. Colours are computed in linear light and written as sRGB.

// Places on the light, then places of the sky. Each has a tile of one depth picture.
const LIGHTS: u32 = 32u;
// Tiles in a row and in a column of it.
const TILES: vec2<f32> = vec2<f32>(8.0, 4.0);

struct Globals {
    view: mat4x4<f32>,
    // From the world to each light's tile.
    lights: array<mat4x4<f32>, LIGHTS>,
    // Towards each light; w is 0.
    towards: array<vec4<f32>, LIGHTS>,
    // Where the eye is; w is the radius of the scene, m.
    eye: vec4<f32>,
    // The middle of the scene; w is the height of the floor, m.
    centre: vec4<f32>,
    // How many lights are the main one's, how many there are, and a texel of a tile as a share of it.
    counts: vec4<f32>,
};

@group(0) @binding(0) var<uniform> globals: Globals;
@group(1) @binding(0) var depths: texture_depth_2d;
@group(1) @binding(1) var compare: sampler_comparison;

const KEY: f32 = 0.92;
const AMBIENT: f32 = 0.42;
const TOP: vec3<f32> = vec3<f32>(0.723, 0.752, 0.791);
const BOTTOM: vec3<f32> = vec3<f32>(0.896, 0.888, 0.871);

fn to_linear(c: vec3<f32>) -> vec3<f32> {
    return select(pow((c + 0.055) / 1.055, vec3<f32>(2.4)), c / 12.92, c <= vec3<f32>(0.04045));
}

fn to_srgb(c: vec3<f32>) -> vec3<f32> {
    let x = clamp(c, vec3<f32>(0.0), vec3<f32>(1.0));
    return select(1.055 * pow(x, vec3<f32>(1.0 / 2.4)) - 0.055, 12.92 * x, x <= vec3<f32>(0.0031308));
}

fn corner_of(light: u32) -> vec2<f32> {
    return vec2<f32>(f32(light % 8u), f32(light / 8u));
}

// Whether a light sees a place: 0, 1, or between at edges.
fn sees(light: u32, place: vec3<f32>) -> f32 {
    let p = globals.lights[light] * vec4<f32>(place, 1.0);
    let at = vec2<f32>(0.5 + 0.5 * p.x, 0.5 - 0.5 * p.y);
    if (any(at <= vec2<f32>(0.0)) || any(at >= vec2<f32>(1.0))) {
        return 1.0;
    }
    // What lies beyond the light's reach is behind all that it sees.
    let depth = min(p.z, 1.0) - 0.5 * globals.counts.z;
    return textureSampleCompareLevel(depths, compare, (corner_of(light) + at) / TILES, depth);
}

// A number from 0 to 1 that differs from pixel to pixel, evenly among neighbours (Jimenez, 2014).
fn grain(pixel: vec2<f32>) -> f32 {
    return fract(52.9829189 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715))));
}

// The shares of the main light, by how it falls on a surface, and of the sky that arrive. `spread` is how far a look at the sky
// strays, in radii of the scene.
fn arriving(place: vec3<f32>, n: vec3<f32>, pixel: vec2<f32>, spread: f32) -> vec2<f32> {
    // Off the surface by a texel and a half, so that it does not shade itself.
    let off = place + n * (3.0 * globals.counts.z * globals.eye.w);
    let suns = u32(globals.counts.x);
    let all = u32(globals.counts.y);
    // Each light stands for a part of something broad: looking from a place nearby, another one in each pixel, hides that.
    let across = normalize(cross(n, select(vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(1.0, 0.0, 0.0), abs(n.y) > 0.7)));
    let along = cross(n, across);
    let turn = grain(pixel);
    let angle = 6.2832 * turn;
    let aside = (2.0 / f32(suns) * spread * globals.eye.w) * (cos(angle) * across + sin(angle) * along);
    var sun = 0.0;
    for (var i = 0u; i < suns; i++) {
        let facing = dot(n, globals.towards[i].xyz);
        if (facing > 0.0) {
            sun += facing * sees(i, off + aside);
        }
    }
    var open = 0.0;
    var most = 0.0;
    for (var i = suns; i < all; i++) {
        // Along the surface, a coarse picture cannot tell it from what stands on it.
        let weight = dot(n, globals.towards[i].xyz) - 0.06;
        if (weight > 0.0) {
            let way = angle + 2.4 * f32(i);
            let away = spread * globals.eye.w * sqrt(fract(turn + 0.618 * f32(i)));
            most += weight;
            open += weight * sees(i, off + away * (cos(way) * across + sin(way) * along));
        }
    }
    // Facing down there is no sky; what comes from the floor is no part of this.
    let share = smoothstep(0.0, 1.0, 7.0 * most / f32(all - suns));
    let sky = select(1.0, 1.0 - share * (1.0 - open / most), most > 0.0);
    return vec2<f32>(sun / f32(suns), sky);
}

struct Seen {
    @builtin(position) clip: vec4<f32>,
    // Taken inside of the triangle, also where it covers a part of the pixel only.
    @location(0) @interpolate(perspective, centroid) place: vec3<f32>,
    @location(1) @interpolate(perspective, centroid) normal: vec3<f32>,
    @location(2) @interpolate(perspective, centroid) colour: vec4<f32>,
};

@vertex
fn surface_vertex(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) colour: vec4<f32>,
) -> Seen {
    return Seen(globals.view * vec4<f32>(position, 1.0), position, normal, colour);
}

// Edges are a little nearer to the eye than the surface that they are on.
@vertex
fn line_vertex(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) colour: vec4<f32>,
) -> Seen {
    let nearer = mix(position, globals.eye.xyz, 0.0015);
    return Seen(globals.view * vec4<f32>(nearer, 1.0), position, normal, colour);
}

// Every instance is a light, which draws into its own tile: nothing is outside of the ball that all tiles show.
@vertex
fn depth_vertex(@location(0) position: vec3<f32>, @builtin(instance_index) light: u32) -> @builtin(position) vec4<f32> {
    let p = globals.lights[light] * vec4<f32>(position, 1.0);
    let at = (corner_of(light) + vec2<f32>(0.5 + 0.5 * p.x, 0.5 - 0.5 * p.y)) / TILES;
    return vec4<f32>(2.0 * at.x - 1.0, 1.0 - 2.0 * at.y, p.z, 1.0);
}

// Leaves colours alone up to 0.7 and bends brighter ones gently below 1.
fn tone(c: vec3<f32>) -> vec3<f32> {
    let bent = 0.7 + 0.3 * (1.0 - exp(-(c - 0.7) / 0.3));
    return select(bent, c, c <= vec3<f32>(0.7));
}

@fragment
fn surface_fragment(in: Seen, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let outward = normalize(in.normal);
    let v = normalize(globals.eye.xyz - in.place);
    let facing_eye = select(-outward, outward, front);
    // What is seen faces the eye, whatever the mean of its triangles does.
    let n = normalize(facing_eye - min(1.05 * dot(facing_eye, v), 0.0) * v);
    let l = globals.towards[0].xyz;
    var base = to_linear(in.colour.rgb);
    let cloth = in.colour.a > 0.9;
    let map = in.colour.a < 0.25;
    // The other side of a fabric is a little paler.
    if (cloth && !front) {
        base = mix(base, vec3<f32>(dot(base, vec3<f32>(0.33))), 0.25) * 1.05 + 0.015;
    }
    let light = arriving(in.place, n, in.clip.xy, 0.02);
    let open = light.y;
    let up = 0.5 + 0.5 * n.y;
    // Cool from above, warm and weaker from the floor, and a weak light from the other side, which keeps folds readable.
    let above = vec3<f32>(0.96, 0.99, 1.05) * (up * AMBIENT);
    let below = vec3<f32>(0.54, 0.50, 0.46) * ((1.0 - up) * AMBIENT);
    let fill = 0.16 * KEY * max(dot(n, normalize(vec3<f32>(-l.x, 0.25 * l.y, -l.z))), 0.0);
    // Part of what is shut out comes back by way of the surface itself: folds of bright cloth glow.
    let share = open / (1.0 - 0.75 * clamp(base, vec3<f32>(0.0), vec3<f32>(1.0)) * (1.0 - open));
    let soft = (above + fill) * share + below * mix(0.6, 1.0, open);
    let arrives = vec3<f32>(1.02, 1.0, 0.97) * (KEY * light.x) + soft;
    if (map) {
        // Colours that are read keep their hue and much of their lightness.
        let level = 0.25 + 0.75 * dot(arrives, vec3<f32>(0.2126, 0.7152, 0.0722));
        return vec4<f32>(to_srgb(tone(base * min(level, 1.1))), 1.0);
    }
    let facing = max(dot(n, l), 0.0);
    let key = select(0.0, min(light.x / max(facing, 1e-3), 1.0), facing > 0.0);
    let edge = pow(1.0 - clamp(dot(n, v), 0.0, 1.0), 4.0);
    let highlight = pow(max(dot(n, normalize(l + v)), 0.0), 24.0) * key * smoothstep(0.0, 0.15, facing);
    let sheen = select(0.05, 0.16, cloth) * edge * (0.35 + 0.65 * light.x) * open;
    let white = sheen + select(0.12, 0.02, cloth) * highlight;
    return vec4<f32>(to_srgb(tone(base * arrives + white)), 1.0);
}

@fragment
fn line_fragment(in: Seen) -> @location(0) vec4<f32> {
    return vec4<f32>(to_srgb(to_linear(in.colour.rgb) * 0.12), 0.6);
}

struct Backdrop {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec2<f32>,
};

@vertex
fn backdrop_vertex(@builtin(vertex_index) index: u32) -> Backdrop {
    let at = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u));
    return Backdrop(vec4<f32>(at * 2.0 - 1.0, 1.0, 1.0), at);
}

// The wall behind everything: a soft gradient, a little darker towards the corners.
@fragment
fn backdrop_fragment(in: Backdrop) -> @location(0) vec4<f32> {
    let away = in.at - 0.5;
    let colour = mix(BOTTOM, TOP, smoothstep(0.0, 1.0, in.at.y)) * (1.0 - 0.1 * dot(away, away));
    return vec4<f32>(to_srgb(colour), 1.0);
}

struct FloorSeen {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec3<f32>,
};

@vertex
fn floor_vertex(@builtin(vertex_index) index: u32) -> FloorSeen {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let reach = 5.0 * globals.eye.w;
    let place = vec3<f32>(globals.centre.x + corner.x * reach, globals.centre.w, globals.centre.z + corner.y * reach);
    return FloorSeen(globals.view * vec4<f32>(place, 1.0), place);
}

// The floor is the backdrop, darkened by as much light as it lacks.
@fragment
fn floor_fragment(in: FloorSeen) -> @location(0) vec4<f32> {
    let light = arriving(in.place, vec3<f32>(0.0, 1.0, 0.0), in.clip.xy, 0.08);
    let direct = KEY * globals.towards[0].y;
    let share = (KEY * light.x + AMBIENT * light.y) / (direct + AMBIENT);
    let away = length(in.place.xz - globals.centre.xz) / globals.eye.w;
    // Seen from below, only a hint of it.
    let side = select(0.25, 1.0, globals.eye.y > globals.centre.w);
    let lost = clamp(1.0 - share, 0.0, 1.0) * 0.9 * (1.0 - smoothstep(2.8, 5.0, away)) * side;
    // Pictures hold sRGB, where a share of light is about this share of a number. Shadows are slightly cool.
    return vec4<f32>(0.0, 0.004, 0.012, 1.0 - pow(1.0 - lost, 1.0 / 2.2));
}
