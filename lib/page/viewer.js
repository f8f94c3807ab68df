// SPDX-License-Identifier: GPL-3.0-or-later
// viewer.js - bodies that move in their shapes, drawn by three.js; texts come in as text alone.
//
// A mesh: points in 16 bits, (x - center) / half in -1..1; faces as counts of corners and indices. A shape: displacements in
// 16 bits, the largest is 1; values for its colours (stress) in 16 bits, 0..1, else these are its lengths. The vertex shader adds amount * shape: a frame costs the script a few uniforms.
'use strict';
const flexbody = (() => {

const bytes = b64 => {
    const s = atob(b64), a = new Uint8Array(s.length);
    for (let k = 0; k < s.length; k++)
        a[k] = s.charCodeAt(k);
    return a.buffer;
};

// An element: properties, data-*, on*; children are elements or text.
function el(tag, props, ...children) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(props || {})) {
        if (v === undefined || v === false)
            continue;
        if (k.startsWith('on'))
            e.addEventListener(k.slice(2), v);
        else
            e.setAttribute(k, v === true ? '' : v);
    }
    for (const c of children.flat(Infinity))
        if (c !== null && c !== undefined && c !== false)
            e.append(c instanceof Node ? c : String(c));
    return e;
}

// A count, its thousands apart.
const many = n => Number(n).toLocaleString('en').replace(/,/g, '\u2009');

// At most n digits, no zeros behind, exponents only where they are shorter.
function digits(v, n = 6) {
    if (v === null || v === undefined)
        return '–';
    if (v === 0)
        return '0';
    const a = Math.abs(v), s = Number(v.toPrecision(n));
    return (a >= 1e7 || a < 1e-4 ? s.toExponential().replace('e+', 'e') : String(s)).replace('-', '\u2212').replace('e-', 'e\u2212');
}

// ---- colours ---------------------------------------------------------------------------------

// Viridis by a polynomial: lightness rises steadily, in print and for every kind of colour vision.
const VIRIDIS = [[0.2777, 0.0054, 0.3341], [0.1051, 1.4046, 1.3846], [-0.3309, 0.2148, 0.0951], [-4.6342, -5.7991, -19.3324],
                 [6.2283, 14.1799, 56.6906], [4.7764, -13.7451, -65.3530], [-5.4355, 4.6459, 26.3124]];
function viridis(t) {
    return [0, 1, 2].map(a => {
        let v = 0;
        for (let k = 6; k >= 0; k--)
            v = v * t + VIRIDIS[k][a];
        return Math.round(255 * Math.min(1, Math.max(0, v)));
    });
}
const colour = t => 'rgb(' + viridis(t).join(',') + ')';
const GLSL_RAMP = 'vec3 ramp(float t) { t = clamp(t, 0., 1.); vec3 c = vec3(0.);' +
    VIRIDIS.slice().reverse().map(c => 'c = c * t + vec3(' + c.map(x => x.toFixed(4)).join(',') + ');').join('') +
    'return clamp(c, 0., 1.); }';

// ---- shaders ----------------------------------------------------------------------------------

const PAINT = `
    uniform float coloured; uniform vec3 plain; uniform float alpha;
    varying float v;
    ${GLSL_RAMP}
    vec3 paint(vec3 n) {
        vec3 base = mix(plain, ramp(v), coloured);
        float key = max(dot(n, vec3(0.33, 0.52, 0.79)), 0.), fill = max(dot(n, vec3(-0.6, -0.2, 0.77)), 0.);
        float shine = pow(max(dot(n, vec3(0.17, 0.28, 0.94)), 0.), 40.);
        return base * (0.50 + 0.56 * key + 0.16 * fill) + 0.08 * shine;
    }`;
const SURFACE = {
    vertexShader: `
        attribute vec3 shape; attribute float value; uniform float amount, valued; varying float v; varying vec3 at;
        void main() {
            vec4 p = modelViewMatrix * vec4(position + amount * shape, 1.);
            v = mix(length(shape), value, valued); at = p.xyz; gl_Position = projectionMatrix * p;
        }`,
    fragmentShader: `
        varying vec3 at; ${PAINT}
        void main() {
            vec3 n = normalize(cross(dFdx(at), dFdy(at)));
            gl_FragColor = vec4(paint(n), alpha);
        }`
};
const LINES = {
    vertexShader: `
        attribute vec3 shape; uniform float amount;
        void main() {
            gl_Position = projectionMatrix * modelViewMatrix * vec4(position + amount * shape, 1.);
            gl_Position.z -= 2e-5 * gl_Position.w;
        }`,
    fragmentShader: 'uniform vec3 plain; uniform float alpha; void main() { gl_FragColor = vec4(plain, alpha); }'
};
const RODS = { // a quad for each line, turned to the eye and shaded as a cylinder; side: -1, 1 at its end, -2, 2 at the other
    vertexShader: `
        attribute vec3 shape, other, othershape; attribute float side, value;
        uniform float amount, radius, valued; varying float v, s; varying vec3 across, eye;
        void main() {
            vec4 p = modelViewMatrix * vec4(position + amount * shape, 1.);
            vec3 q = (modelViewMatrix * vec4(other + amount * othershape, 1.)).xyz;
            across = normalize(cross(q - p.xyz, p.xyz) * (abs(side) > 1.5 ? -1. : 1.) + vec3(1e-12, 0., 0.));
            s = sign(side); v = mix(length(shape), value, valued); eye = -p.xyz;
            p.xyz += across * s * radius;
            gl_Position = projectionMatrix * p;
        }`,
    fragmentShader: `
        varying float s; varying vec3 across, eye; ${PAINT}
        void main() {
            gl_FragColor = vec4(paint(normalize(across) * s + normalize(eye) * sqrt(max(0., 1. - s * s))), alpha);
        }`
};
const BALLS = {
    vertexShader: `
        attribute vec3 shape; attribute float value; uniform float amount, radius, screen, valued; varying float v;
        void main() {
            vec4 p = modelViewMatrix * vec4(position + amount * shape, 1.);
            v = mix(length(shape), value, valued); gl_Position = projectionMatrix * p;
            gl_PointSize = max(2., radius * screen * projectionMatrix[1][1] / gl_Position.w);
            gl_Position.z -= 1e-3 * radius * gl_Position.w;
        }`,
    fragmentShader: `
        ${PAINT}
        void main() {
            vec2 c = gl_PointCoord * 2. - 1.;
            float r = dot(c, c);
            if (r > 1.) discard;
            gl_FragColor = vec4(paint(vec3(c.x, -c.y, sqrt(1. - r))), alpha);
        }`
};

// ---- edges ------------------------------------------------------------------------------------

// Every edge of the faces once, and those that are creases or ends of the surface.
function edges(xyz, corners, index) {
    let total = 0;
    for (const n of corners)
        total += n > 2 ? n : 0;
    let size = 1;
    while (size < 2 * total + 2)
        size *= 2;
    const slot = new Int32Array(size).fill(-1), from = new Uint32Array(total), to = new Uint32Array(total),
        crease = new Uint8Array(total), first = new Float32Array(3 * total), mask = size - 1;
    let count = 0, at = 0;
    for (const n of corners) {
        if (n > 2) {
            let nx = 0, ny = 0, nz = 0;
            for (let i = 0; i < n; i++) { // Newell: holds for warped faces
                const p = 3 * index[at + i], q = 3 * index[at + (i + 1) % n];
                nx += (xyz[p + 1] - xyz[q + 1]) * (xyz[p + 2] + xyz[q + 2]);
                ny += (xyz[p + 2] - xyz[q + 2]) * (xyz[p] + xyz[q]);
                nz += (xyz[p] - xyz[q]) * (xyz[p + 1] + xyz[q + 1]);
            }
            // A sliver has no direction that could make a crease.
            let longest = 0;
            for (let i = 0; i < n; i++) {
                const p = 3 * index[at + i], q = 3 * index[at + (i + 1) % n];
                longest = Math.max(longest, (xyz[p] - xyz[q]) ** 2 + (xyz[p + 1] - xyz[q + 1]) ** 2 + (xyz[p + 2] - xyz[q + 2]) ** 2);
            }
            const l = Math.hypot(nx, ny, nz), flat = l > 0.1 * longest ? 1 / l : 0;
            nx *= flat; ny *= flat; nz *= flat;
            for (let i = 0; i < n; i++) {
                const a = index[at + i], b = index[at + (i + 1) % n], lo = Math.min(a, b), hi = Math.max(a, b);
                if (lo === hi)
                    continue;
                let h = (Math.imul(lo, 0x9e3779b1) ^ Math.imul(hi, 0x85ebca6b)) & mask;
                while (slot[h] >= 0 && (from[slot[h]] !== lo || to[slot[h]] !== hi))
                    h = (h + 1) & mask;
                if (slot[h] < 0) {
                    slot[h] = count;
                    from[count] = lo;
                    to[count] = hi;
                    crease[count] = 1;
                    first.set([nx, ny, nz], 3 * count++);
                } else {
                    const e = slot[h], known = flat && (first[3 * e] || first[3 * e + 1] || first[3 * e + 2]);
                    crease[e] = known && Math.abs(first[3 * e] * nx + first[3 * e + 1] * ny + first[3 * e + 2] * nz) < 0.866 ? 1 : 0;
                }
            }
        }
        at += n;
    }
    const all = new Uint32Array(2 * count), sharp = [];
    for (let e = 0; e < count; e++) {
        all[2 * e] = from[e];
        all[2 * e + 1] = to[e];
        if (crease[e])
            sharp.push(from[e], to[e]);
    }
    return {all, sharp: new Uint32Array(sharp)};
}

// ---- a body in a canvas -----------------------------------------------------------------------

const LABELS = 40;

class View {
    // connectors: [{node, point}]; host: an element with a place of its own.
    constructor(host, mesh, connectors = []) {
        this.host = host;
        this.mesh = mesh;
        this.show = {ghost: true, lines: mesh.faces <= 20000, colour: true, stress: true, connectors: true};
        this.renderer = new THREE.WebGLRenderer({antialias: true, alpha: true, preserveDrawingBuffer: true});
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
        this.canvas = this.renderer.domElement;
        this.canvas.setAttribute('aria-label', 'the body, moving in the chosen mode');
        host.append(this.canvas);
        this.scene = new THREE.Scene();
        this.camera = new THREE.PerspectiveCamera(28, 1, 0.05, 200);
        this.camera.up.set(0, 0, 1);
        this.uniforms = {amount: {value: 0}, still: {value: 0}, screen: {value: 1}, coloured: {value: 1}, valued: {value: 0}};
        this.points();
        this.build();
        this.mark(connectors);
        this.triad = host.appendChild(el('canvas', {class: 'triad', width: 144, height: 144, 'aria-hidden': 'true'}));
        this.controls = new THREE.OrbitControls(this.camera, this.canvas);
        this.controls.enableKeys = false;
        this.controls.rotateSpeed = 0.8;
        this.look([1, -1.35, 0.85]);
        this.theme();
        new ResizeObserver(() => this.resize()).observe(host);
        this.resize();
    }

    points() {
        const m = this.mesh;
        this.xyz = new Int16Array(bytes(m.xyz));
        this.corners = m.corners ? new Uint16Array(bytes(m.corners)) : new Uint16Array(0);
        this.index = m.index32 ? new Uint32Array(bytes(m.index32)) : m.index16 ? new Uint16Array(bytes(m.index16)) : new Uint16Array(0);
        this.position = new THREE.BufferAttribute(this.xyz, 3, true);
        this.zero = this.shape = new THREE.BufferAttribute(new Int16Array(this.xyz.length), 3, true);
        this.none = this.values = new THREE.BufferAttribute(new Uint16Array(this.xyz.length / 3), 1, true);
        this.size = [0, 0, 0];
        this.middle = [0, 0, 0];
        for (let k = 0; k < this.xyz.length; k++)
            this.size[k % 3] = Math.max(this.size[k % 3], Math.abs(this.xyz[k]) / 32767);
        this.diagonal = 2 * Math.hypot(...this.size) || 1;
    }

    material(shader, more = {}) {
        const {uniforms, ...rest} = more;
        return new THREE.ShaderMaterial({...shader, side: THREE.DoubleSide, extensions: {derivatives: true}, ...rest,
            uniforms: {amount: this.uniforms.amount, screen: this.uniforms.screen, coloured: this.uniforms.coloured, valued: this.uniforms.valued,
                plain: {value: new THREE.Color(0x8fa3b8)}, alpha: {value: 1}, radius: {value: 0.01}, ...uniforms}});
    }

    add(Kind, geometry, material, order = 0) {
        const o = new Kind(geometry, material);
        o.frustumCulled = false;
        o.renderOrder = order;
        this.scene.add(o);
        return o;
    }

    geometry(index) {
        const g = new THREE.BufferGeometry();
        g.setAttribute('position', this.position);
        g.setAttribute('shape', this.shape);
        g.setAttribute('value', this.values);
        if (index)
            g.setIndex(new THREE.BufferAttribute(index, 1));
        this.shaped.push(g);
        return g;
    }

    build() {
        const triangles = [], lines = [], dots = [], still = {amount: this.uniforms.still, coloured: {value: 0}};
        let at = 0;
        for (const n of this.corners) {
            for (let i = 1; i + 1 < n; i++)
                triangles.push(this.index[at], this.index[at + i], this.index[at + i + 1]);
            if (n === 2)
                lines.push(this.index[at], this.index[at + 1]);
            if (n === 1)
                dots.push(this.index[at]);
            at += n;
        }
        const bare = !this.corners.length, Index = this.xyz.length / 3 > 65535 ? Uint32Array : Uint16Array,
            faint = {transparent: true, depthWrite: false};
        this.shaped = [];
        this.ghosts = [];
        this.rods = [];
        this.inks = [];
        if (triangles.length) {
            const surface = this.geometry(new Index(triangles)), {all, sharp} = edges(this.xyz, this.corners, this.index);
            this.surface = this.add(THREE.Mesh, surface, this.material(SURFACE, {polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1}));
            this.lines = this.add(THREE.LineSegments, this.geometry(new Index(all)), this.material(LINES, {...faint, uniforms: {alpha: {value: 0.22}}}), 1);
            const ends = this.geometry(new Index(sharp));
            this.ends = this.add(THREE.LineSegments, ends, this.material(LINES, {...faint, uniforms: {alpha: {value: 0.75}}}), 2);
            this.inks.push(this.lines, this.ends);
            if (!sharp.length) // nothing else would show where it was
                this.ghosts.push(this.add(THREE.Mesh, surface, this.material(SURFACE, {...faint, uniforms: {...still, alpha: {value: 0.12}}}), 4));
            this.ghosts.push(this.add(THREE.LineSegments, ends, this.material(LINES, {...faint, uniforms: {...still, alpha: {value: 0.55}}}), 5));
        }
        const radius = bare ? Math.min(0.03, Math.max(0.004, 0.9 / Math.sqrt(this.xyz.length / 3))) : 0.011;
        if (lines.length)
            this.rod(lines, radius, still, faint);
        if (bare || dots.length || lines.length) {
            const g = this.geometry(bare ? null : new Index([...new Set(lines.concat(dots))])), r = {value: radius * (lines.length ? 1.45 : 1)};
            this.add(THREE.Points, g, this.material(BALLS, {uniforms: {radius: r}}));
            this.ghosts.push(this.add(THREE.Points, g, this.material(BALLS, {...faint, uniforms: {...still, radius: r, alpha: {value: 0.2}}}), 4));
        }
    }

    // Lines of two nodes: what stands at each of the four corners of their quads.
    rod(lines, radius, still, faint) {
        const n = lines.length / 2, end = new Uint32Array(4 * n), far = new Uint32Array(4 * n), side = new Float32Array(4 * n), quads = [];
        for (let k = 0; k < n; k++) {
            const a = lines[2 * k], b = lines[2 * k + 1];
            end.set([a, a, b, b], 4 * k);
            far.set([b, b, a, a], 4 * k);
            side.set([1, -1, 2, -2], 4 * k);
            quads.push(4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 2, 4 * k + 1, 4 * k + 3);
        }
        const g = new THREE.BufferGeometry();
        g.setAttribute('side', new THREE.BufferAttribute(side, 1));
        g.setIndex(new THREE.BufferAttribute(new Uint32Array(quads), 1));
        this.rods.push({g, end, far});
        this.spread('position', 'other', this.xyz);
        this.spread('shape', 'othershape', this.shape.array);
        this.evaluate();
        this.add(THREE.Mesh, g, this.material(RODS, {uniforms: {radius: {value: radius}}}));
        this.ghosts.push(this.add(THREE.Mesh, g, this.material(RODS, {...faint, uniforms: {...still, radius: {value: radius}, alpha: {value: 0.2}}}), 4));
    }

    spread(name, other, values) {
        for (const {g, end, far} of this.rods)
            for (const [key, which] of [[name, end], [other, far]]) {
                const a = new Int16Array(3 * which.length);
                which.forEach((p, k) => a.set(values.subarray(3 * p, 3 * p + 3), 3 * k));
                g.setAttribute(key, new THREE.BufferAttribute(a, 3, true));
            }
    }

    evaluate() {
        for (const {g, end} of this.rods)
            g.setAttribute('value', new THREE.BufferAttribute(Uint16Array.from(end, p => this.values.array[p]), 1, true));
    }

    mark(connectors) {
        const at = connectors.filter(c => c.point >= 0);
        this.labels = [];
        if (!at.length)
            return;
        const g = this.geometry(new Uint32Array(at.map(c => c.point)));
        this.marks = this.add(THREE.Points, g, this.material(BALLS, {depthTest: false, transparent: true,
            uniforms: {coloured: {value: 0}, radius: {value: at.length > LABELS ? 0.012 : 0.022}, plain: {value: new THREE.Color(0xf08c00)}, alpha: {value: 0.95}}}), 8);
        if (at.length <= LABELS)
            for (const c of at)
                this.labels.push({point: c.point, tag: this.host.appendChild(el('span', {class: 'tag'}, c.name || c.node))});
    }

    // Another shape, and what colours it: base64 of 16 bits, or nothing.
    move(shape, values) {
        this.values = values ? new THREE.BufferAttribute(new Uint16Array(bytes(values)), 1, true) : this.none;
        this.shape = shape ? new THREE.BufferAttribute(new Int16Array(bytes(shape)), 3, true) : this.zero;
        for (const g of this.shaped) {
            g.setAttribute('shape', this.shape);
            g.setAttribute('value', this.values);
        }
        this.spread('shape', 'othershape', this.shape.array);
        this.evaluate();
    }

    // A box that holds all moments of a motion.
    reach(motion) {
        const low = [Infinity, Infinity, Infinity], high = low.map(v => -v);
        for (const {most, shape} of motion) {
            const u = new Int16Array(bytes(shape)), f = most / this.mesh.half;
            for (let k = 0; k < u.length; k++) {
                const x = (this.xyz[k] + f * u[k]) / 32767;
                low[k % 3] = Math.min(low[k % 3], x);
                high[k % 3] = Math.max(high[k % 3], x);
            }
        }
        this.middle = low.map((v, a) => (v + high[a]) / 2);
        this.size = low.map((v, a) => (high[a] - v) / 2);
        this.diagonal = 2 * Math.hypot(...this.size) || 1;
        this.look(this.direction);
    }

    get stressed() {
        return this.show.stress && this.values !== this.none;
    }

    // The eye along d from the middle, as near as the box allows.
    look(d) {
        const c = this.camera, length = Math.hypot(...d), dir = new THREE.Vector3(...d).divideScalar(length),
            right = new THREE.Vector3().crossVectors(c.up, dir), high = Math.tan(c.fov * Math.PI / 360), wide = high * c.aspect;
        if (right.length() < 1e-6)
            right.set(1, 0, 0);
        right.normalize();
        const up = new THREE.Vector3().crossVectors(dir, right), p = new THREE.Vector3();
        let far = 0.1;
        for (let k = 0; k < 8; k++) {
            p.set(...this.size.map((s, a) => (k >> a & 1 ? s : -s) + (k >> a & 1 ? 1 : -1) * 0.04 * this.diagonal));
            far = Math.max(far, p.dot(dir) + Math.max(Math.abs(p.dot(right)) / wide, Math.abs(p.dot(up)) / high));
        }
        if (this.controls)
            this.controls.target.set(...this.middle);
        c.position.copy(dir.multiplyScalar(far * 1.08).add(new THREE.Vector3(...this.middle)));
        c.lookAt(...this.middle);
        this.direction = d;
        this.stale = true;
    }

    theme() {
        const dark = matchMedia('(prefers-color-scheme: dark)').matches, ink = dark ? 0xdfe7f2 : 0x10202f;
        for (const o of this.inks)
            o.material.uniforms.plain.value.set(ink);
        for (const o of this.ghosts)
            o.material.uniforms.plain.value.set(dark ? 0x9fb0c4 : 0x5a6b7d);
        if (this.lines)
            this.lines.material.uniforms.alpha.value = (dark ? 0.16 : 0.22) * Math.min(1, Math.sqrt(4000 / this.mesh.faces)); // many lines would be a shade
        this.stale = true;
    }

    resize() {
        const w = this.host.clientWidth, h = this.host.clientHeight;
        if (!w || !h)
            return;
        const first = !this.width;
        this.width = w;
        this.height = h;
        this.renderer.setSize(w, h);
        this.camera.aspect = w / h;
        this.camera.updateProjectionMatrix();
        this.uniforms.screen.value = h * this.renderer.getPixelRatio();
        if (first)
            this.look(this.direction);
        this.stale = true;
    }

    // amount: of the largest displacement, in halves of the longest side.
    draw(amount) {
        const s = this.show;
        this.uniforms.amount.value = amount;
        this.uniforms.coloured.value = s.colour && this.shape !== this.zero ? 1 : 0;
        this.uniforms.valued.value = this.stressed ? 1 : 0;
        for (const o of this.ghosts)
            o.visible = s.ghost && this.shape !== this.zero;
        if (this.lines)
            this.lines.visible = s.lines;
        if (this.marks)
            this.marks.visible = s.connectors;
        this.renderer.render(this.scene, this.camera);
        this.place(amount);
        this.axes();
        this.stale = false;
    }

    place(amount) {
        const p = new THREE.Vector3(), a = this.shape.array;
        for (const {point, tag} of this.labels) {
            const k = 3 * point;
            p.set(...[0, 1, 2].map(i => (this.xyz[k + i] + amount * a[k + i]) / 32767)).project(this.camera);
            tag.hidden = !this.show.connectors || p.z > 1;
            tag.style.transform = `translate(${((p.x + 1) * this.width / 2 + 9).toFixed(1)}px,${((1 - p.y) * this.height / 2 - 9).toFixed(1)}px)`;
        }
    }

    axes() {
        const c = this.triad.getContext('2d'), q = this.camera.quaternion.clone().inverse(),
            ink = getComputedStyle(this.host).getPropertyValue('color');
        c.clearRect(0, 0, 144, 144);
        c.lineWidth = 4;
        c.font = '600 22px system-ui, sans-serif';
        c.textAlign = 'center';
        c.textBaseline = 'middle';
        const tips = [['x', '#e03131'], ['y', '#2f9e44'], ['z', '#3b82f6']].map(([name, paint], k) =>
            ({name, paint, v: new THREE.Vector3(+(k === 0), +(k === 1), +(k === 2)).applyQuaternion(q)})).sort((a, b) => a.v.z - b.v.z);
        for (const {name, paint, v} of tips) {
            c.strokeStyle = paint;
            c.fillStyle = ink;
            c.beginPath();
            c.moveTo(72, 72);
            c.lineTo(72 + 42 * v.x, 72 - 42 * v.y);
            c.stroke();
            c.fillText(name, 72 + 58 * v.x, 72 - 58 * v.y);
        }
    }
}

// ---- time -------------------------------------------------------------------------------------

// One clock for all views: size (of the diagonal), speed (oscillations in 2 s), playing.
class Player {
    constructor(views) {
        this.views = views;
        this.size = 0.1;
        this.speed = 1;
        this.phase = Math.PI / 2;
        this.playing = !matchMedia('(prefers-reduced-motion: reduce)').matches;
        this.frames = 0;
        this.script = 0;
        for (const v of views)
            v.controls.addEventListener('change', () => { v.stale = true; this.follow(v); });
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => views.forEach(v => v.theme()));
        requestAnimationFrame(t => this.frame(t));
    }

    // All look from where one is turned to.
    follow(from) {
        for (const v of this.views)
            if (v !== from && !v.camera.position.equals(from.camera.position)) {
                v.camera.position.copy(from.camera.position);
                v.controls.target.copy(from.controls.target);
                v.camera.lookAt(v.controls.target);
                v.stale = true;
            }
    }

    frame(t) {
        const dt = Math.min(0.1, (t - (this.last || t)) / 1000), begin = performance.now();
        let drawn = false;
        this.last = t;
        if (this.playing)
            this.advance(dt);
        for (const v of this.views)
            if (v.width && (v.stale || this.playing && v.shape !== v.zero)) {
                v.draw(this.amount(v));
                drawn = true;
            }
        if (drawn) {
            this.frames++;
            this.script += performance.now() - begin;
        }
        requestAnimationFrame(u => this.frame(u));
    }

    advance(dt) {
        this.phase = (this.phase + Math.PI * this.speed * dt) % (2 * Math.PI);
    }

    amount(v) {
        return v.sign * this.size * v.diagonal * Math.sin(this.phase);
    }

    end() {
        this.views = [];
    }

    redraw() {
        this.views.forEach(v => { v.stale = true; });
    }
}
View.prototype.sign = 1;

// How many times slower than in truth: 1 where so many seconds are long enough to see and short enough to wait for,
// else 1, 2 or 5 times a power of ten that makes about 10 seconds of them.
function pace(seconds) {
    if (!(seconds > 0) || seconds >= 2 && seconds <= 60)
        return 1;
    const raw = 10 / seconds, power = 10 ** Math.floor(Math.log10(raw)), m = raw / power;
    return power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
}
const slower = k => k > 1.005 ? `${digits(k, 3)} times slower` : k < 0.995 ? `${digits(1 / k, 3)} times faster` : 'in real time';

// A motion in its own time: [{time, most, shape}], the way of the points from their first places; second: a second in the
// unit of time.
class Film extends Player {
    constructor(view, motion, second) {
        super([view]);
        this.motion = motion;
        this.end_time = motion[motion.length - 1].time;
        this.slow = pace((this.end_time - motion[0].time) / second);
        this.rate = second / this.slow;
        view.reach(motion);
        this.seek(0);
    }

    // The moment at or before that time.
    seek(time) {
        let k = 0;
        this.now = Math.min(Math.max(0, time), this.end_time);
        while (k + 1 < this.motion.length && this.motion[k + 1].time <= this.now)
            k++;
        if (k !== this.shown)
            this.views[0].move(this.motion[k].shape);
        this.shown = k;
        this.redraw();
    }

    step(d) {
        this.playing = false;
        this.seek(this.motion[Math.min(this.motion.length - 1, Math.max(0, this.shown + d))].time);
        this.told();
    }

    advance(dt) {
        this.seek((this.now + dt * this.rate * this.speed) % (this.end_time || 1));
        this.told();
    }

    amount(v) {
        return this.motion[this.shown].most / v.mesh.half;
    }
}
Film.prototype.told = () => {};

// ---- what is below a picture ------------------------------------------------------------------

const KEYS = [['Space', 'play, stop'], ['← →', 'mode before, after'], ['↑ ↓', 'larger, smaller motion'], ['X Y Z I', 'look along an axis, from a corner'],
              ['G', 'undeformed ghost'], ['M', 'mesh lines'], ['C', 'colours'], ['S', 'colours by stress'], ['N', 'connectors'], ['F', 'full screen']];

// Buttons and keys for a player; step(±1): another mode; full: the element that fills the screen; changed: after each.
function controls(player, {step, full, changed, stress}) {
    const views = player.views, first = views[0];
    const play = el('button', {type: 'button', class: 'play', 'aria-label': 'play or stop', onclick: () => toggle()});
    const range = (name, min, max, get, set) => {
        const input = el('input', {type: 'range', min, max, step: 'any', 'aria-label': name,
            oninput: () => { set(Number(input.value)); refresh(); }});
        return {input, box: el('label', {class: 'range'}, name, input), get};
    };
    const size = player.motion ? range('Time', 0, player.end_time, () => player.now, v => { player.playing = false; player.seek(v); }) :
        range('Motion', Math.log(0.005), Math.log(0.5), () => Math.log(player.size), v => { player.size = Math.exp(v); });
    const speed = range('Speed', Math.log(0.1), Math.log(4), () => Math.log(player.speed), v => { player.speed = Math.exp(v); });
    const switches = [['ghost', 'Undeformed', true], ['lines', 'Mesh lines', !!first.lines], ['colour', 'Colours', true], ['stress', 'von Mises', stress], ['connectors', 'Connectors', !!first.marks]]
        .filter(s => s[2]).map(([key, name]) => {
            const input = el('input', {type: 'checkbox', onchange: () => flip(key, input.checked)});
            return {key, input, box: el('label', {class: 'switch'}, input, name)};
        });
    function refresh() {
        play.textContent = player.playing ? '❚❚' : '▶\uFE0E';
        size.input.value = size.get();
        speed.input.value = speed.get();
        for (const s of switches)
            s.input.checked = first.show[s.key];
        player.redraw();
        changed();
    }
    function toggle() {
        player.playing = !player.playing;
        refresh();
    }
    function flip(key, on) {
        for (const v of views)
            v.show[key] = on === undefined ? !v.show[key] : on;
        refresh();
    }
    const looks = {x: [1, 0, 0], y: [0, -1, 0], z: [0, 0, 1], i: [1, -1.35, 0.85]};
    const look = k => { first.look(looks[k]); player.follow(first); refresh(); };
    const act = {' ': toggle, ArrowLeft: () => step(-1), ArrowRight: () => step(1), g: () => flip('ghost'), m: () => flip('lines'), c: () => flip('colour'), s: () => flip('stress'),
        n: () => flip('connectors'), f: () => document.fullscreenElement ? document.exitFullscreen() : full.requestFullscreen(),
        ArrowUp: () => { player.size = Math.min(0.5, player.size * 1.15); refresh(); },
        ArrowDown: () => { player.size = Math.max(0.005, player.size / 1.15); refresh(); }};
    for (const k of Object.keys(looks))
        act[k] = () => look(k);
    document.addEventListener('keydown', event => {
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if (event.ctrlKey || event.metaKey || event.altKey || !act[key] || event.target instanceof Element && event.target.closest(key === ' ' ? 'input, summary, button' : 'input, summary'))
            return;
        event.preventDefault();
        act[key]();
    });
    player.told = refresh;
    refresh();
    return el('div', {class: 'bar'}, play, size.box, speed.box, switches.map(s => s.box),
        el('span', {class: 'looks'}, Object.keys(looks).map(k => el('button', {type: 'button', onclick: () => look(k), title: k === 'i' ? 'look from a corner' : 'look along ' + k},
            k === 'i' ? 'iso' : k))),
        el('button', {type: 'button', onclick: act.f}, 'Full screen'),
        el('details', {class: 'keys'}, el('summary', {}, 'Keys'), el('dl', {}, KEYS.map(([k, what]) => [el('dt', {}, k), el('dd', {}, what)]))));
}

// The colour scale of a view, its largest value filled in by the caller.
function scale() {
    const stops = Array.from({length: 13}, (_, k) => colour(k / 12)), top = el('span', {class: 'top'}), half = el('span', {class: 'half'});
    const bar = el('div', {class: 'ramp'});
    bar.style.background = `linear-gradient(to top, ${stops.join(',')})`;
    return {box: el('div', {class: 'scale'}, bar, top, half, el('span', {class: 'zero'}, '0')), top, half};
}

// A table: columns [{name, unit, title, text: row => string, bar: row => share, class}]; chosen(row) on a click.
function table(columns, rows, {foot, chosen} = {}) {
    const cells = (row, tag) => columns.map(c => {
        const td = el(tag, {class: c.class}, c.text(row)), share = c.bar && c.bar(row);
        if (share >= 0.002)
            td.style.setProperty('--share', (100 * Math.min(1, share)).toFixed(1) + '%');
        return td;
    });
    const body = el('tbody', {}, rows.map(r => el('tr', {onclick: chosen && (() => chosen(r)), class: chosen && 'choice'}, cells(r, 'td'))));
    return el('div', {class: 'scroll'}, el('table', {class: columns.length < 6 && 'narrow'},
        el('thead', {}, el('tr', {}, columns.map(c => el('th', {class: c.class, title: c.title, scope: 'col'}, c.name, c.unit && el('small', {}, c.unit))))),
        body, foot && el('tfoot', {}, foot)));
}

// Numbers behind a sentence are printed, too.
addEventListener('beforeprint', () => document.querySelectorAll('.says details').forEach(d => { d.dataset.was = d.open; d.open = true; }));
addEventListener('afterprint', () => document.querySelectorAll('.says details').forEach(d => { d.open = d.dataset.was === 'true'; }));

return {el, digits, many, colour, edges, slower, View, Player, Film, controls, scale, table};
})();
