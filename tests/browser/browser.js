// SPDX-License-Identifier: GPL-3.0-or-later
// browser.js - headless Chromium, driven over the pipe of its own protocol: file descriptors 3 and 4, JSON ended by zeros.
'use strict';
const {spawn} = require('child_process'), fs = require('fs'), os = require('os'), path = require('path');

async function open() {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'flexbody-browser-'));
    const child = spawn('chromium', ['--headless=new', '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
        '--hide-scrollbars', '--no-first-run', '--disable-extensions', '--remote-debugging-pipe', '--user-data-dir=' + home, 'about:blank'],
    {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    const late = setTimeout(() => child.kill('SIGKILL'), 240000), waiting = new Map(), listeners = [];
    let id = 0, rest = '';
    child.stdio[4].setEncoding('utf8');
    child.stdio[4].on('data', text => {
        const parts = (rest + text).split('\0');
        rest = parts.pop();
        for (const m of parts.map(p => JSON.parse(p))) {
            if (m.id) {
                const {yes, no} = waiting.get(m.id);
                waiting.delete(m.id);
                m.error ? no(new Error(m.error.message)) : yes(m.result);
            } else {
                listeners.forEach(l => l(m));
            }
        }
    });
    const dead = new Promise((_, no) => {
        child.on('error', no);
        child.on('exit', code => no(new Error('chromium ended: ' + code)));
    });
    dead.catch(() => {});
    const send = (method, params = {}, sessionId) => Promise.race([dead, new Promise((yes, no) => {
        waiting.set(++id, {yes, no});
        child.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + '\0');
    })]);

    // A page of that file: what it logged, asked for, and what can be done with it.
    async function page(file, {width = 1400, height = 900, dark = false, scale = 1} = {}) {
        const {targetId} = await send('Target.createTarget', {url: 'about:blank'});
        const {sessionId} = await send('Target.attachToTarget', {targetId, flatten: true});
        const to = (method, params) => send(method, params, sessionId), seen = {errors: [], requests: []};
        let loaded;
        const load = new Promise(yes => { loaded = yes; });
        listeners.push(m => {
            if (m.sessionId !== sessionId)
                return;
            if (m.method === 'Runtime.exceptionThrown')
                seen.errors.push(m.params.exceptionDetails.exception ? m.params.exceptionDetails.exception.description : m.params.exceptionDetails.text);
            if (m.method === 'Runtime.consoleAPICalled' && m.params.type === 'error' || m.method === 'Log.entryAdded' && m.params.entry.level === 'error')
                seen.errors.push(m.params.entry ? m.params.entry.text : m.params.args.map(a => a.value || a.description).join(' '));
            if (m.method === 'Network.requestWillBeSent')
                seen.requests.push(m.params.request.url);
            if (m.method === 'Page.loadEventFired')
                loaded();
        });
        for (const domain of ['Page', 'Runtime', 'Log', 'Network'])
            await to(domain + '.enable');
        await to('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: scale, mobile: false});
        await to('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]});
        await to('Page.navigate', {url: 'file://' + path.resolve(file)});
        await load;
        const evaluate = async (expression, ...args) => {
            const text = typeof expression === 'function' ? `(${expression})(...${JSON.stringify(args)})` : expression;
            const r = await to('Runtime.evaluate', {expression: text, awaitPromise: true, returnByValue: true});
            if (r.exceptionDetails)
                throw new Error(r.exceptionDetails.exception ? r.exceptionDetails.exception.description : r.exceptionDetails.text);
            return r.result.value;
        };
        const picture = async (out, whole = false) => fs.writeFileSync(out,
            Buffer.from((await to('Page.captureScreenshot', {captureBeyondViewport: whole, ...(whole && {clip: await evaluate(() =>
                ({x: 0, y: 0, width: innerWidth, height: document.documentElement.scrollHeight, scale: 1}))})})).data, 'base64'));
        const paper = async out => fs.writeFileSync(out, Buffer.from((await to('Page.printToPDF', {printBackground: true})).data, 'base64'));
        return {...seen, seen, to, evaluate, picture, paper, close: () => send('Target.closeTarget', {targetId})};
    }
    async function close() {
        clearTimeout(late);
        await send('Browser.close').catch(() => {});
        await new Promise(yes => child.exitCode !== null || child.signalCode ? yes() : child.once('exit', yes));
        fs.rmSync(home, {recursive: true, force: true, maxRetries: 5});
    }
    return {page, close};
}
module.exports = {open};
