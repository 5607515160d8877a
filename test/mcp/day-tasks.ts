import assert from 'node:assert/strict'
import { type Agent, textOf } from '../support/agent.ts'
import type { Client } from '../support/client.ts'

/** Calls of one task, and the characters of their arguments and results. */
interface TaskCost {
  readonly task: string
  readonly calls: number
  readonly characters: number
  readonly maxCalls: number
}

type Call = (name: string, args: Readonly<Record<string, unknown>>) => Promise<string>

interface Task {
  readonly name: string
  readonly maxCalls: number
  run(call: Call): Promise<void>
}

const pad = (n: number) => String(n).padStart(3, '0')
const line = (n: number) => `Line ${n} of a page that has some length, as pages have.`
const longPage = Array.from({ length: 400 }, (_, n) => line(n)).join('\n')

/** The space `day`: 243 pages, of which 15 have a term and 14 belong to one topic, one with a changed version. */
export async function fillDay(admin: Client): Promise<void> {
  await admin.space('day')
  const put = async (path: string, body: string, condition = {}) =>
    assert.ok([200, 201].includes((await admin.put(`/pages/day/${path}`, body, condition)).status), path)
  for (let n = 0; n < 200; n++) await put(`items/${pad(n)}`, `# Item ${n}\n\nAbout item ${n}.\n`)
  for (let n = 0; n < 15; n++) await put(`terms/${pad(n)}`, `# Term ${n}\n\n${line(n)} Frobnicator and more.\n`)
  for (let n = 0; n < 14; n++) await put(`topic/${pad(n)}`, `# Topic ${n}\n\n${`${line(n)}\n`.repeat(15)}`)
  for (let n = 0; n < 12; n++) await put(`old/part/${pad(n)}`, `# Part ${n}\n\n[next](./${pad(n + 1)})\n`)
  await put('compared', longPage)
  await put(
    'compared',
    [7, 90, 200, 333].reduce((body, n) => body.replace(line(n), `Changed ${n}.`), longPage),
    { 'if-match': '"1"' },
  )
  await put('memory', '# Memory\n')
}

const TASKS: readonly Task[] = [
  {
    name: 'one metadata key on 200 pages',
    maxCalls: 4,
    async run(call) {
      const pages = Array.from({ length: 200 }, (_, n) => `day/items/${pad(n)}`)
      const text = await call('context_update_metadata', { pages, set: { status: 'reviewed' } })
      assert.match(text, /^Changed 200 pages/)
    },
  },
  {
    name: 'a term on 15 pages',
    maxCalls: 3,
    async run(call) {
      const replacement = { space: 'day', find: 'Frobnicator', replace: 'Widget' }
      assert.match(await call('context_replace_text', { ...replacement, dryRun: true }), /15 hits in 15 pages/)
      assert.match(await call('context_replace_text', replacement), /^Replaced 15 hits in 15 pages/)
    },
  },
  {
    name: 'a subtree of 12 pages reorganised',
    maxCalls: 3,
    async run(call) {
      const move = { space: 'day', path: 'old/part', to: 'new/chapter', prefix: true }
      assert.match(await call('context_move_page', { ...move, dryRun: true }), /Would move 12 pages/)
      assert.match(await call('context_move_page', move), /^Moved 12 pages/)
    },
  },
  {
    name: 'summary of 14 pages',
    maxCalls: 3,
    async run(call) {
      const list = await call('context_list_pages', { space: 'day', prefix: 'topic/' })
      const pages = [...list.matchAll(/^(day\/topic\/\d+)/gm)].map(([page]) => page)
      assert.equal(pages.length, 14)
      const text = await call('context_get_pages', { pages })
      assert.equal(text.match(/^=== day\/topic/gm)?.length, 14)
      assert.doesNotMatch(text, /context_get_page has the rest/)
    },
  },
  {
    name: 'two versions compared',
    maxCalls: 2,
    async run(call) {
      const text = await call('context_compare', { space: 'day', path: 'compared' })
      assert.equal(text.match(/^\+Changed/gm)?.length, 4)
      assert.ok(text.length <= 2_000, `${text.length} characters`)
    },
  },
  {
    name: 'three facts remembered',
    maxCalls: 4,
    async run(call) {
      for (const fact of ['One.', 'Two.', 'Three.']) {
        const edits = [{ op: 'append', text: `- ${fact}` }]
        await call('context_edit_page', { space: 'day', path: 'memory', edits })
      }
    },
  },
  {
    name: 'contents of 243 pages',
    maxCalls: 2,
    async run(call) {
      const first = await call('context_list_pages', { space: 'day', limit: 200 })
      const cursor = /cursor (\S+)$/.exec(first)?.[1]
      const second = await call('context_list_pages', { space: 'day', limit: 200, cursor })
      assert.equal(`${first}\n${second}`.match(/^day\//gm)?.length, 243)
    },
  },
]

/** Does all tasks of the day, each checked, and counts. */
export async function doDay(agent: Agent): Promise<TaskCost[]> {
  const costs: TaskCost[] = []
  for (const { name, maxCalls, run } of TASKS) {
    let [calls, characters] = [0, 0]
    await run(async (tool, args) => {
      const result = await agent.call(tool, args)
      const text = textOf(result)
      assert.ok(!result.isError, `${tool}: ${text}`)
      calls++
      characters += JSON.stringify(args).length + text.length
      return text
    })
    costs.push({ task: name, calls, characters, maxCalls })
  }
  return costs
}
