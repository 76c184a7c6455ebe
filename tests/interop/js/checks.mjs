// The checks of a JavaScript client with `lanyard serve --demo`. Prints one line per check: `check NAME ok|fail|na DETAIL`.
//
// The program of a peer calls main() with a class that wraps the peer's API:
//     PROGRAM stdio PATH_OF_LANYARD ERA
//     PROGRAM http URL ERA
//
// The class has these members, except for checks that its static `absent` (check -> reason) excludes:
//     constructor(transport, address, era), open(), close(), tools(), call(name, args, {onProgress, signal}) -> result,
//     resources(), templates(), read(uri) -> text or base64, prompts(), prompt(name, args) -> text,
//     complete(prompt, name, value, context) -> values, callLogging(tool, level), watch(uri), logs: levels,
//     changes: 'tools', 'prompts', 'resources' and URIs
import assert from 'node:assert/strict';

const counter = 'demo://counter';
const guardSeconds = 60;

/** The client's answer to a form. */
export function formAnswer(schema) {
    const values = { name: 'Ada', guests: 3, place: 'Bergen', day: '2026-12-24' };
    return Object.fromEntries(Object.keys(schema.properties).filter((key) => key in values).map((key) => [key, values[key]]));
}

const text = (result) => result.content.map((block) => block.text ?? '').join('');
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function until(condition, what) {
    for (let i = 0; i < 1000 && !condition(); ++i) await pause(20);
    assert.ok(condition(), what());
}

const checks = {
    async list(peer) {
        const names = await peer.tools();
        for (const each of ['echo', 'add', 'weather', 'count_down', 'wait', 'mix', 'fail']) {
            assert.ok(names.includes(each), each);
        }
    },

    async call(peer) {
        assert.equal(text(await peer.call('echo', { text: 'Grüße\n🙂' })), 'Grüße\n🙂');
    },

    async structured(peer) {
        await peer.tools(); // so that the client has the output schemas
        assert.deepEqual((await peer.call('add', { a: 1.5, b: 2 })).structuredContent, { sum: 3.5 });
        assert.deepEqual((await peer.call('largest', { numbers: [3, 9, 4] })).structuredContent, { largest: 9 });
    },

    async errors(peer) {
        const failed = await peer.call('fail', {});
        assert.equal(failed.isError, true);
        assert.match(text(failed), /this tool always fails/);
        const wrong = await peer.call('weather', { city: 'Oslo', units: 'kelvin' });
        assert.equal(wrong.isError, true);
        assert.match(text(wrong), /units/);
        await assert.rejects(peer.call('fail', { way: 'refusal' }));
        assert.equal(text(await peer.call('echo', { text: 'alive' })), 'alive');
    },

    async progress(peer) {
        const steps = [];
        const onProgress = ({ progress, total, message }) => steps.push([progress, total, message]);
        assert.equal(text(await peer.call('count_down', { from: 3, delay_ms: 20 }, { onProgress })), 'counted down from 3');
        assert.deepEqual(steps, [[1, 3, '2 to go'], [2, 3, '1 to go'], [3, 3, '0 to go']]);
    },

    async cancel(peer) {
        const interrupted = async () => {
            const number = text(await peer.call('count_interrupted', {}));
            assert.match(number, /^\d+$/);
            return Number(number);
        };
        const before = await interrupted();
        const controller = new AbortController();
        const waiting = peer.call('wait', { seconds: 600 }, { signal: controller.signal });
        setTimeout(() => controller.abort(new Error('no longer needed')), 500);
        await assert.rejects(waiting);
        for (let i = 0; i < 100 && (await interrupted()) === before; ++i) await pause(50);
        assert.equal(await interrupted(), before + 1);
    },

    async media(peer) {
        const kinds = (await peer.call('mix', {})).content.map((block) => block.type);
        assert.deepEqual(kinds, ['text', 'image', 'audio', 'resource_link', 'resource']);
    },

    async resources(peer) {
        const uris = await peer.resources();
        for (const each of ['demo://readme', 'demo://picture', counter]) assert.ok(uris.includes(each), each);
        assert.match(await peer.read('demo://readme'), /demonstration/);
        assert.match(await peer.read('demo://picture'), /^iVBORw0KGgo/);
        await assert.rejects(peer.read('demo://nothing'));
    },

    async templates(peer) {
        assert.deepEqual((await peer.templates()).sort(), ['demo://greeting/{name}', 'demo://table/{table}/{row}']);
        assert.equal(await peer.read('demo://greeting/Ada'), 'Hello, Ada!');
    },

    async prompts(peer) {
        const names = await peer.prompts();
        for (const each of ['review', 'tip']) assert.ok(names.includes(each), each);
        assert.equal(await peer.prompt('review', { language: 'cpp', code: 'int x;' }), 'Review this C++ code:\n\nint x;');
        await assert.rejects(peer.prompt('review', { language: 'cobol', code: 'x' }));
    },

    async completion(peer) {
        assert.deepEqual(await peer.complete('review', 'language', 'c'), ['c', 'cpp']);
        assert.deepEqual(await peer.complete('visit', 'city', 'O', { country: 'norway' }), ['Oslo']);
    },

    async elicitation(peer) {
        assert.equal(text(await peer.call('book_table', {})), 'a table for 3 in the name of Ada, inside');
        assert.match(text(await peer.call('plan_trip', {})), /: Bergen on 2026-12-24$/);
    },

    async sampling(peer) {
        assert.equal(text(await peer.call('ask_model', { question: '?' })), 'test-model says: forty-two');
    },

    async roots(peer) {
        assert.equal(text(await peer.call('list_folders', {})), '1 open folders\nfile:///tmp/work');
    },

    async log(peer) {
        await peer.callLogging('log_everything', 'warning');
        await until(() => peer.logs.includes('emergency'), () => `log messages: ${peer.logs}`);
        assert.deepEqual(peer.logs, ['warning', 'error', 'critical', 'alert', 'emergency']);
    },

    async changes(peer) {
        await peer.watch(counter);
        await peer.call('set_extras', { on: true });
        try {
            const all = ['tools', 'prompts', 'resources'];
            await until(() => all.every((each) => peer.changes.includes(each)), () => `changes: ${peer.changes}`);
            assert.equal(text(await peer.call('extra', {})), 'still here');
            await peer.call('increment', {});
            await until(() => peer.changes.includes(counter), () => `changes: ${peer.changes}`);
        } finally {
            await peer.call('set_extras', { on: false });
        }
    },

    async large(peer) {
        const large = '0123456789'.repeat(120_000);
        const got = text(await peer.call('echo', { text: large }));
        assert.ok(got === large, `${got.length} bytes came back`);
    },

    async parallel(peer) {
        const numbers = [...Array(100).keys()].map(String);
        const answers = numbers.map(async (each) => text(await peer.call('echo', { text: each })));
        assert.deepEqual(await Promise.all(answers), numbers);
    },

    async reuse(peer) {
        await checks.call(peer);
        await peer.close();
        await peer.open();
        await checks.call(peer);
    },
};

async function guarded(work) {
    let guard;
    const late = new Promise((_, reject) => {
        guard = setTimeout(() => reject(new Error(`not done after ${guardSeconds} s`)), guardSeconds * 1000);
    });
    try {
        return await Promise.race([work, late]);
    } finally {
        clearTimeout(guard);
    }
}

export async function main(Peer) {
    const [transport, address, era, ...wanted] = process.argv.slice(2);
    process.on('unhandledRejection', (error) => console.error('unhandled:', error));
    for (const name of wanted.length ? wanted : Object.keys(checks)) {
        if (name in Peer.absent) {
            console.log(`check ${name} na ${Peer.absent[name]}`);
            continue;
        }
        const peer = new Peer(transport, address, era);
        try {
            await guarded(peer.open());
            try {
                await guarded(checks[name](peer));
            } finally {
                await guarded(peer.close());
            }
            console.log(`check ${name} ok`);
        } catch (error) {
            console.log(`check ${name} fail ${String(error?.message ?? error).replace(/\s+/g, ' ').slice(0, 300)}`);
        }
    }
    await Peer.end?.();
    process.exit(0);
}
