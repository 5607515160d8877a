import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '@recto/contract/errors.ts'
import { analysePage, renderPage } from '../page.ts'
import { isCheap } from './cost.ts'
import { MarkdownEngine } from './engine.ts'

const large = '# Large\n\n'.padEnd(100_000, 'A sentence with a [link](./x) and *emphasis*.\n\n')
/** The most expensive known body of its size: it takes many times the limit set below. */
const hostile = '!['.repeat(2_000_000)

function isTooComplex(error: unknown): boolean {
  return error instanceof AppError && error.code === 'markdown_too_complex' && Boolean(error.extras.issues)
}

test('a small and a large body have the results of the parser', async () => {
  await using markdown = new MarkdownEngine()
  for (const body of ['# Small\n\n[a](./b)', large]) {
    assert.deepEqual(await markdown.analyse(body), analysePage(body))
    assert.deepEqual(await markdown.render(body), renderPage(body))
  }
})

test('a body that takes too much processor time fails or is shown as source, without blocking the event loop', async () => {
  await using markdown = new MarkdownEngine({ cpuMs: 50 })
  let beats = 0
  const beat = setInterval(() => beats++, 5)
  const [page] = await Promise.all([markdown.render(hostile), assert.rejects(markdown.analyse(hostile), isTooComplex)])
  clearInterval(beat)
  assert.ok(page.isSource && page.html.startsWith('<pre') && page.headings.length === 0)
  assert.ok(beats > 20, `the event loop turned ${beats} times`)
  assert.equal((await markdown.analyse('# Next')).title, 'Next')
})

test('bodies beyond the queue limit are rejected at once', async () => {
  await using markdown = new MarkdownEngine({ workers: 1, maxQueue: 2 })
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => markdown.analyse(large)))
  const rejected = results.filter(({ status }) => status === 'rejected')
  assert.ok(rejected.length >= 5 && rejected.length <= 6, `${rejected.length} rejected`)
  for (const result of rejected) assert.equal(result.status === 'rejected' && result.reason.code, 'markdown_busy')
})

test('a body that could take long is parsed in a worker', () => {
  assert.ok(isCheap('analyse', large.slice(0, 4000)) && isCheap('render', large.slice(0, 4000)))
  for (const pattern of [
    '![',
    '[a](b) ',
    '[^a]',
    '- - - - - a\n',
    '# a\n',
    '|a|a|a|\n',
    '<http://a> ',
    'www.a ',
    'a@b.c ',
    '1. a\n',
  ]) {
    assert.ok(!isCheap('render', pattern.repeat(16_000 / pattern.length)), pattern)
  }
  assert.ok(!isCheap('render', `\`\`\`js\n${'a'.repeat(2000)}\n\`\`\``))
  assert.ok(!isCheap('render', `> - ~~~js\n${'a\n'.repeat(1000)}`))
  assert.ok(!isCheap('analyse', `---\na: ${'['.repeat(8000)}\n---\n`))
  assert.ok(!isCheap('analyse', `${'a|'.repeat(8)}a\n${'-|'.repeat(8)}-\n${'a\n'.repeat(1000)}`))
})

test('a disposed engine rejects jobs and does not wait for running ones', async () => {
  const markdown = new MarkdownEngine({ workers: 1 })
  const pending = [markdown.analyse(large), markdown.analyse(large)].map((result) => assert.rejects(result, /closed/))
  await markdown[Symbol.asyncDispose]()
  await Promise.all(pending)
  await assert.rejects(markdown.analyse(large), /closed/)
})

test('idle workers end, and start again for the next job', async () => {
  await using markdown = new MarkdownEngine({ idleMs: 1 })
  const started = () => process.getActiveResourcesInfo().filter((name) => name === 'Worker').length
  for (let round = 0; round < 2; round++) {
    await markdown.analyse(large)
    while (started() > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  }
})
