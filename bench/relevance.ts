/**
 * Relevance of search: `node bench/relevance.ts`. 60 questions over the corpora of `../shared/data/md`, each with the page
 * that a reader of these corpora expects; the result is how often that page is the first hit, and among the first three.
 */
import { join } from 'node:path'
import pg from 'pg'
import { corpusFiles } from '../test/support/corpora.ts'
import { startService } from '../test/support/service.ts'
import { embeddedConnection, print, processorTime } from './measure.ts'

/** What is typed, and the path of the page that answers it (a space may be named before a colon). */
const QUESTIONS: Readonly<Record<string, readonly (readonly [q: string, expected: string])[]>> = {
  'inflected words': [
    ['overflow checks', 'EIPS/eip-1051'],
    ['bitwise shift instruction', 'EIPS/eip-145'],
    ['subscription filter completed transaction', 'EIPS/eip-758'],
    ['coercing', 'hir-typeck/coercions'],
    ['monomorphize', 'backend/monomorph'],
    ['excluding slashed validator proposing', 'EIPS/eip-8045'],
    ['reporting region error', 'borrow-check/region-inference/error-reporting'],
    ['fuzz', 'fuzzing'],
    ['sanitizer', 'sanitizers'],
  ],
  typos: [
    ['macro expantion', 'macro-expansion'],
    ['borow checker debuging', 'borrow-check/debugging'],
    ['transiant storage opcodes', 'EIPS/eip-1153'],
    ['muir glacier dificulty bomb', 'EIPS/eip-2384'],
    ['incremental compialtion in detail', 'queries/incremental-compilation-in-detail'],
    ['profile giuded optimization', 'profile-guided-optimization'],
    ['wihtdrawal credential update request', 'EIPS/eip-7804'],
    ['candidate preferense', 'solve/candidate-preference'],
  ],
  identifiers: [
    ['eth_getProof', 'EIPS/eip-1186'],
    ['ethGetProof', 'EIPS/eip-1186'],
    ['wallet watch asset', 'EIPS/eip-747'],
    ['walletWatchAsset', 'EIPS/eip-747'],
    ['max effective balance', 'EIPS/eip-7251'],
    ['MIN_BASE_FEE_PER_BLOB_GAS', 'EIPS/eip-7762'],
    ['type folder', 'ty-fold'],
    ['error guaranteed', 'diagnostics/error-guaranteed'],
    ['lldbinternals', 'debuginfo/lldb-internals'],
    ['early binder', 'ty-module/early-binder'],
  ],
  'names of pages': [
    ['EIP-1559', 'EIPS/eip-1559'],
    ['EIP 4844', 'EIPS/eip-4844'],
    ['eip155', 'EIPS/eip-155'],
    ['EIPS/eip-2930', 'EIPS/eip-2930'],
    ['#2718', 'EIPS/eip-2718'],
  ],
  'questions in whole words': [
    ['How do I build and run the compiler?', 'building/how-to-build-and-run'],
    ['how does the borrow checker handle two-phase borrows', 'borrow-check/two-phase-borrows'],
    ['What is the MIR?', 'mir/index'],
    ['How can I profile the compiler with perf?', 'profiling/with-perf'],
    ['How do I add a new target to the compiler?', 'building/new-target'],
    ['how is transaction replay protected against', 'EIPS/eip-155'],
    ['where are the error codes of the compiler explained', 'diagnostics/error-codes'],
    ['how do I update LLVM in rust', 'backend/updating-llvm'],
    ['which is the fee market change for ETH 1.0 chain', 'EIPS/eip-1559'],
    ['what are the best practices when I am writing tests', 'tests/best-practices'],
  ],
  'parts of titles': [
    ['lowering MIR', 'backend/lowering-mir'],
    ['skinny', 'EIPS/eip-1014'],
    ['account exposure', 'EIPS/eip-1102'],
    ['verkle proof verification', 'EIPS/eip-7545'],
    ['profiling windows', 'profiling/wpa-profiling'],
    ['higher-ranked bounds', 'traits/hrtb'],
  ],
  'words of paths': [
    ['notification-groups arm', 'notification-groups/arm'],
    ['debuginfo gdb internals', 'debuginfo/gdb-internals'],
    ['tests/ui', 'tests/ui'],
    ['profiling wpa', 'profiling/wpa-profiling'],
  ],
  'tags and aliases': [
    ['london burn', 'EIPS/eip-1559'],
    ['proto-danksharding', 'EIPS/eip-4844'],
    ['nll', 'borrow-check/region-inference'],
    ['easteregg', 'appendix/humorust'],
  ],
  phrases: [
    ['"proof of stake" upgrade consensus', 'EIPS/eip-3675'],
    ['"universal regions"', 'borrow-check/region-inference/lifetime-parameters'],
  ],
  'pages in versions': [
    ['versions:drop elaboration', '*/mir/drop-elaboration'],
    ['versions:debugging the mir', '*/mir/debugging'],
  ],
}

/** Front matter that some pages get, because the corpora have no tags and no aliases. */
const ADDED: Readonly<Record<string, string>> = {
  'EIPS/eip-1559': 'aliases: [London burn]',
  'EIPS/eip-4844': 'tags: [proto-danksharding, scaling]',
  'appendix/humorust': 'tags: [easteregg]',
}

await using service = await startService({ SVC_RATE_LIMIT: '0' })
const { admin } = service
for (const slug of ['rustc', 'eips', 'versions']) await admin.space(slug)
const spent = processorTime({ pid: process.pid, cluster: join(service.data, 'postgres') })
let [pages, bytes] = [0, 0]
await put('rustc', corpusFiles('rustc-guide'), '')
await put('eips', corpusFiles('eips'), '')
const versioned = [...corpusFiles('rustc-guide')].filter(([path]) => path.startsWith('mir/'))
for (const version of ['7.3', '7.4', '7.5']) await put('versions', new Map(versioned), `${version}/`)
const made = spent()
await report()

async function put(space: string, files: ReadonlyMap<string, Buffer>, prefix: string): Promise<void> {
  const waiting = [...files]
  const one = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [path, body] = next
      bytes += body.length
      pages++
      const answer = await admin.put(
        `/pages/${space}/${encodeURI(prefix + path)}`,
        withAdded(path, body.toString()),
      )
      if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    }
  }
  await Promise.all([one(), one(), one(), one()])
}

function withAdded(path: string, body: string): string {
  const added = ADDED[path]
  if (added === undefined) return body
  return body.startsWith('---\n') ? body.replace('---\n', `---\n${added}\n`) : `---\n${added}\n---\n${body}`
}

async function report(): Promise<void> {
  let [first, firstThree, all] = [0, 0, 0]
  for (const [kind, questions] of Object.entries(QUESTIONS)) {
    for (const [asked, expected] of questions) {
      const [, space, q] = /^(?:(versions):)?(.*)$/.exec(asked) ?? []
      const more = space ? `&space=${space}` : ''
      const answer = await admin.get(`/search?limit=3&q=${encodeURIComponent(q ?? '')}${more}`)
      const paths: string[] = answer.json.items.map((item: { path: string }) => item.path)
      const rank = paths.findIndex(
        (path) => path === expected || (expected.startsWith('*') && path.endsWith(expected.slice(1))),
      )
      all++
      if (rank === 0) first++
      if (rank >= 0) firstThree++
      if (rank !== 0)
        print(
          `${kind}: ${q} -> ${expected} is ${rank < 0 ? 'not found' : `number ${rank + 1}`}: ${paths.join(', ')}`,
        )
    }
  }
  print(`${all} questions: first ${percent(first / all)}, first three ${percent(firstThree / all)}`)
  const client = new pg.Client(embeddedConnection(service.data))
  await client.connect()
  const { rows } = await client.query(`select pg_total_relation_size('page_search') as bytes`)
  await client.end()
  print(
    `a page written takes ${(made / pages).toFixed(1)} ms of processor time with its request, of ${(bytes / pages / 1000).toFixed(1)} kB on average`,
  )
  print(`search index: ${(rows[0].bytes / 1e6).toFixed(1)} MB for ${(bytes / 1e6).toFixed(1)} MB of Markdown`)
}

function percent(part: number): string {
  return `${(100 * part).toFixed(0)} %`
}
