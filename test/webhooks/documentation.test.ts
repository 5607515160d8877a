/** Runs the receivers of docs/webhooks.md with a delivery, and with one that was changed on its way. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { type Received, startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

const ROOT = join(import.meta.dirname, '../..')
const DOCUMENT = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8')
const hasPython = spawnSync('python3', ['--version']).status === 0

let service: Service
let secret: string
let delivery: Received
before(async () => {
  service = await startService({ SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' })
  await using receiver = await startReceiver()
  const input = { url: receiver.url, events: ['page.created'] }
  const { json } = assertStatus(await service.admin.post('/admin/webhooks', input), 201)
  secret = json.secret
  assertStatus(await service.admin.post(`/admin/webhooks/${json.webhook.id}/test`), 200)
  delivery = await receiver.nth(1)
})
after(() => service[Symbol.asyncDispose]())

/** The one block of a language with this word. */
function blockWith(language: string, word: string): string {
  const blocks = [...DOCUMENT.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))]
  const [block, ...others] = blocks.map(([, text = '']) => text).filter((text) => text.includes(word))
  assert.ok(block !== undefined && others.length === 0, word)
  return block
}

function environment(body: string) {
  const { PATH = '' } = process.env
  return { PATH, SECRET: secret, BODY: body, HEADERS: JSON.stringify(delivery.headers) }
}

/** Runs a block as a function, beside its imports, and returns whether it took the delivery. */
function isTaken(block: string, body: string): boolean {
  const imports = block.match(/^import .*$/gm) ?? []
  const program = `${imports.join('\n')}
    const { SECRET: secret, BODY: rawBody, HEADERS } = process.env
    const request = { headers: JSON.parse(HEADERS) }, { headers } = request
    const response = { writeHead(status) { process.exit(status === 401 ? 1 : 2) } }
    await (async () => {${block.replaceAll(/^import .*$/gm, '')}})()`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: ROOT,
    env: environment(body),
  })
  assert.ok(status === 0 || status === 1, String(stderr))
  return status === 0
}

for (const library of ['standardwebhooks', '@octokit/webhooks-methods']) {
  test(`docs/webhooks.md: a receiver with ${library} takes a delivery, and no other body`, () => {
    const block = blockWith('js', library)
    assert.equal(isTaken(block, delivery.body), true)
    assert.equal(isTaken(block, `${delivery.body} `), false)
  })
}

test('docs/webhooks.md: a receiver in Python takes a delivery, and no other body', {
  skip: !hasPython && 'no python3',
}, () => {
  const program = `import json, os
secret, raw_body = os.environ["SECRET"], os.environ["BODY"].encode()
class request: headers = {name.title(): value for name, value in json.loads(os.environ["HEADERS"]).items()}
${blockWith('python', 'hmac')}print(genuine)`
  const printed = (body: string) =>
    spawnSync('python3', ['-c', program], { env: environment(body), encoding: 'utf8' }).stdout
  assert.equal(printed(delivery.body), 'True\n')
  assert.equal(printed(`${delivery.body} `), 'False\n')
})

test('docs/webhooks.md: the receiver of Node takes a delivery, and no other body', async () => {
  const block = blockWith('js', 'createServer')
  const listening = '.listen(0, function () { console.log(this.address().port) })'
  const program = `const queue = { add() {} }\n${block.replace('.listen(8080)', listening)}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: environment(''),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [port] = await once(child.stdout, 'data')
    const headers = { 'x-svc-signature': String(delivery.headers['x-svc-signature']) }
    const send = async (body: string) =>
      (await fetch(`http://127.0.0.1:${String(port).trim()}`, { method: 'POST', headers, body })).status
    assert.equal(await send(delivery.body), 204)
    assert.equal(await send(`${delivery.body} `), 401)
  } finally {
    child.kill()
  }
})
