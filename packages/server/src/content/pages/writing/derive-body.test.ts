import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MarkdownEngine } from '@recto/markdown/engine/engine.ts'
import { deriveBody } from './derive-body.ts'

const script = new URL('./body-worker.ts', import.meta.url)
const page = { language: 'en', metadata: { doc: { owner: 'Ada' }, seq: 1 } } as const
const from = { space: 'docs', path: 'x/y', publicOrigin: 'http://localhost' }

test('a body has the same data when it is derived in a worker', async () => {
  await using inline = new MarkdownEngine({ script })
  await using worker = new MarkdownEngine({ script, inlineBytes: 0 })
  const links = '[a](./a) ![i](./i.png) [f](x.pdf) [other](/pages/other/p.md) [a "again"](./a "t")\n'
  for (const body of [`---\ntags: [x]\n---\n# Title\n\n${links}`, '', 'no link', '![i](./i.png)']) {
    const derived = await deriveBody(inline, { ...page, from, body })
    assert.deepEqual(await deriveBody(worker, { ...page, from, body }), derived)
  }
})

test('the digest of links is that of the last rebuild that a migration queues', async () => {
  await using markdown = new MarkdownEngine({ script })
  const digestOf = async (body: string) =>
    (await deriveBody(markdown, { ...page, from, body })).links.digest?.toString('hex')
  assert.equal(await digestOf('[a](./a) [b](/pages/docs/b "x") [a again](./a)\n'), '2f2f6ef6dbf7f6e75976695f91bca187')
  assert.equal(
    await digestOf('[a](./a) ![i](./i.png) [f](x.pdf) [p](/pages/other/p.md)\n'),
    '7bbfb285c3e5d1a4c680d7c49884e83f',
  )
  assert.equal(await digestOf('![i](./i.png)'), '271ce41db84eed5041c02da8f801dc4b')
  assert.equal(await digestOf('none'), undefined)
})
