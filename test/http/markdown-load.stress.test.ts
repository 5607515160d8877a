import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { type LocalService, startLocalService } from '../support/local-service.ts'

let service: LocalService
before(async () => {
  service = await startLocalService()
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

/** Plain text, with a link at its end. */
const plain = (bytes: number) => `# Plain\n\n${'A line of plain text. '.repeat(bytes / 22)}\n\n[end](./end)\n`

/** Processes that do nothing but use the processor. */
function busyLoops(count: number): Disposable {
  const loops = Array.from({ length: count }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  return {
    [Symbol.dispose]() {
      for (const loop of loops) loop.kill('SIGKILL')
    },
  }
}

test('with twelve busy loops on the machine bodies up to the limit are written, read and linked', async () => {
  using _ = busyLoops(12)
  for (const [path, bytes] of [
    ['p130', 130_000],
    ['p400', 400_000],
  ] as const) {
    assertStatus(await service.admin.put(`/pages/docs/${path}`, plain(bytes)), 201)
    const html = assertStatus(await service.admin.get(`/pages/docs/${path}`, { accept: 'text/html' }), 200).text
    assert.ok(html.includes('>end</a></p>') && !html.includes('too complex'))
    const { outbound } = (await service.admin.get(`/pages/docs/${path}/links`)).json
    assert.deepEqual(
      outbound.map((link: { path: string }) => link.path),
      ['end'],
    )
  }
})

test('a body over its processor time is 422 and changes nothing; a stored one is shown as source', async () => {
  const body = `---\ndescription: d\n---\n# Complex\n\n${'![[a](b)*c*'.repeat(20_000)}`
  assertStatus(await service.admin.put('/pages/docs/complex', body), 201)
  // The operator lowers the budget.
  Object.assign(service.config, { markdownCpuMs: 1 })
  await service.restart()
  const html = assertStatus(await service.admin.get('/pages/docs/complex', { accept: 'text/html' }), 200).text
  assert.match(html, /<p class="notice" role="note">\s*This page is too complex to be shown as HTML\./)
  assert.ok(html.includes('<pre tabindex="0"><code># Complex'))
  assert.deepEqual((await service.admin.page('/pages/docs/complex?version=1')).json.frontmatter, { description: 'd' })
  const answer = await service.admin.put('/pages/docs/complex', `${body}x`, { 'if-match': '"1"' })
  assertProblem(answer, 422, 'markdown_too_complex')
  assert.equal(answer.json.issues[0].path, '/body')
  assert.equal((await service.admin.get('/pages/docs/complex.md')).text, body)
})
