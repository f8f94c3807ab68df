// SPDX-License-Identifier: GPL-3.0-or-later
// pages.js - pages of `linkexport --to html` and `correlate --html` in a browser. Argument: JSON {NAME: {file, hz, full, json,
// texts, film}}: what the stream holds, as other programs print it, or what `correlate --json` says. Prints a line a page; the first
// thing that is not so ends it with status 1.
'use strict';
const {open} = require('./browser.js'), assert = require('assert'), fs = require('fs');

// Of the picture: how many colours, and a sum that tells two pictures apart.
const look = () => {
    const from = document.querySelector('.view canvas'), to = document.createElement('canvas'), c = to.getContext('2d');
    to.width = 160;
    to.height = 100;
    c.drawImage(from, 0, 0, 160, 100);
    const p = c.getImageData(0, 0, 160, 100).data, seen = new Set();
    let sum = 0;
    for (let k = 0; k < p.length; k += 4) {
        seen.add(p[k] << 16 | p[k + 1] << 8 | p[k + 2]);
        sum = (sum * 31 + p[k] + 7 * p[k + 1] + 13 * p[k + 2] + 17 * p[k + 3]) % 2147483647;
    }
    return {colours: seen.size, sum};
};
const column = (table, n) => [...document.querySelectorAll(`${table} tbody tr td:nth-child(${n})`)].map(t => t.textContent);
const settled = n => new Promise(yes => { // n more frames
    const p = flexbody.page.player, until = p.frames + n;
    (function wait() {
        p.redraw();
        p.frames >= until ? yes() : setTimeout(wait, 10);
    })();
});
const number = t => t === 'rigid' ? 0 : Number(t.replace('\u2212', '-').replace('e\u2212', 'e-'));
function near(got, want, rel, what, shown = 1e-12) {
    assert.strictEqual(got.length, want.length, `${what}: ${got.length} numbers, ${want.length} wanted`);
    want.forEach((w, k) => assert.ok(w === undefined ? got[k] === '–' : Math.abs(number(got[k]) - w) <= rel * Math.abs(w) + shown, `${what} ${k + 1}: ${got[k]}, ${w} wanted`));
}

// Every model of the JSON: the pairs' table, and the values under the pointer in its heat map.
async function correlation(page, models) {
    for (const [q, m] of models.entries()) {
        await page.evaluate(k => flexbody.page.pick(k), q);
        near(await page.evaluate(column, '#pairs', 2), m.frequency_hz, 1e-7, 'frequency of the reference');
        near(await page.evaluate(column, '#pairs', 4), m.pair.map(j => m.model_frequency_hz[j - 1]), 1e-7, 'frequency of the model');
        near(await page.evaluate(column, '#pairs', 6), m.pair.map((j, i) => m.MAC.matrix[i][j - 1]), 0, 'MAC', 5.1e-5);
        const tip = await page.evaluate((k, n) => {
            const canvas = document.querySelectorAll('#maps canvas')[k], box = canvas.getBoundingClientRect(), cell = (box.height - 52) / n;
            canvas.dispatchEvent(new MouseEvent('mousemove', {clientX: box.left + 46 + 7.5 * cell, clientY: box.top + 8 + 6.5 * cell}));
            return document.querySelector('.tip').textContent;
        }, q, m.frequency_hz.length);
        assert.ok(tip.includes('MAC ' + m.MAC.matrix[6][7].toFixed(4)), `under the pointer: ${tip}`);
    }
}

async function moves(page) {
    await page.evaluate(settled, 3);
    const a = await page.evaluate(look);
    assert.ok(a.colours > 20, `a blank picture: ${a.colours} colours`);
    await page.evaluate('(p => p.motion ? p.seek((p.now + 0.4 * p.end_time) % p.end_time) : p.phase += 1.5)(flexbody.page.player)');
    await page.evaluate(settled, 2);
    const b = await page.evaluate(look);
    assert.notStrictEqual(a.sum, b.sum, 'the body stands still while it plays');
    await page.evaluate(() => document.querySelector('button.play').click());
    await page.evaluate(settled, 2);
    const c = await page.evaluate(look);
    await page.evaluate(settled, 2);
    assert.deepStrictEqual(await page.evaluate(look), c, 'the body moves while it is stopped');
    const was = await page.evaluate('document.querySelector(".caption").textContent');
    await page.evaluate(() => { document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true})); });
    assert.notStrictEqual(await page.evaluate('document.querySelector(".caption").textContent'), was, 'the arrow key chooses no other mode');
}

// Von Mises stress of each mode for a displacement of one at the largest; key S turns the colours to displacements and back.
async function stress(page, want) {
    const legend = () => page.evaluate('document.querySelector(".scale .top").textContent');
    near(await page.evaluate('flexbody.page.modes.map(m => String(m.mises / m.most))'), want, 1e-9, 'stress');
    for (const says of ['von Mises', 'length']) {
        assert.ok((await legend()).endsWith(says), `the scale says ${await legend()}`);
        await page.evaluate(settled, 2);
        const was = await page.evaluate(look);
        await page.evaluate(() => { document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 's', bubbles: true})); });
        await page.evaluate(settled, 2);
        assert.notStrictEqual((await page.evaluate(look)).sum, was.sum, 'the colours stay');
    }
}

// The last point at the end of a motion, from the numbers that are drawn: 16 bits of the box and of the longest way.
async function film(page, want) {
    const [got, step] = await page.evaluate(() => {
        const {view: v, player: p} = flexbody.page, at = v.xyz.length - 3;
        p.seek(p.end_time);
        return [[0, 1, 2].map(a => v.mesh.center[a] + v.mesh.half * (v.xyz[at + a] + p.amount(v) * v.shape.array[at + a]) / 32767),
            v.mesh.half * (1 + p.amount(v)) / 32767];
    });
    want.forEach((w, a) => assert.ok(Math.abs(got[a] - w) <= step, `the tip ends at ${got}, ${want} wanted`));
    const caption = await page.evaluate('document.querySelector(".caption").textContent');
    assert.ok(/moment .*(in real time|times (slower|faster))/.test(caption), `the caption says ${caption}`);
    const takes = await page.evaluate(() => { // in seconds of the page, from one step of its clock
        const p = flexbody.page.player, end = p.end_time;
        p.seek(0);
        p.told = () => {};
        p.advance(0.01);
        return 0.01 * end / p.now;
    });
    assert.ok(takes > 1.9 && takes < 61, `the film takes ${takes} s`);
}

async function check(browser, name, want) {
    const page = await browser.page(want.file, {width: 640, height: 420});
    const text = await page.evaluate('document.body.innerText');
    if (want.moves !== false)
        await moves(page);
    if (want.hz)
        near(await page.evaluate(column, '#frequencies', 2), want.hz, 1e-7, 'frequency');
    if (want.full)
        near(await page.evaluate(column, '#frequencies', 3), want.full, 1e-7, 'full frequency');
    if (want.responses) {
        const d = JSON.parse(fs.readFileSync(want.responses)), all = d.models.flatMap(m => m.responses);
        near(await page.evaluate(column, '#summary', 5), all.map(r => r.frac), 5e-5, 'FRAC');
        assert.strictEqual(await page.evaluate('document.querySelectorAll("#picture polyline").length'), 2 * (all.length + d.reference.responses.length), 'lines');
    }
    if (want.film)
        await film(page, want.film);
    if (want.stress)
        await stress(page, want.stress);
    if (want.json)
        await correlation(page, JSON.parse(fs.readFileSync(want.json)));
    for (const t of want.texts || [])
        assert.ok(text.includes(t), `the page does not say: ${t}`);
    assert.strictEqual(await page.evaluate('document.querySelectorAll("script:not([type]), script[type]").length'), want.scripts || 5, 'scripts of its own');
    assert.strictEqual(await page.evaluate('document.images.length + document.querySelectorAll("iframe, object, link[rel=stylesheet]").length'), 0);
    assert.strictEqual(await page.evaluate('typeof bad'), 'undefined', 'a text of a file was run');
    assert.deepStrictEqual(page.seen.errors, []);
    assert.deepStrictEqual(page.seen.requests.filter(u => !u.startsWith('data:')).length, 1, 'requests: ' + page.seen.requests);
    console.log(`${name}: as it should be`);
    await page.close();
}

(async () => {
    const browser = await open();
    try {
        for (const [name, want] of Object.entries(JSON.parse(process.argv[2])))
            await check(browser, name, want);
    } finally {
        await browser.close();
    }
})().catch(e => {
    console.log(e.message);
    process.exitCode = 1;
});
