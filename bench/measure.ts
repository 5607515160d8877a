import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import autocannon from 'autocannon'
import type pg from 'pg'
import { processesIn } from '../packages/server/src/platform/database/embedded/processes.ts'
import { openLoad } from '../test/support/load.ts'
import { record } from './results.ts'

/** A folder for the data of one run, removed at its end; one that is named is kept. */
export function benchFolder(kept?: string): Disposable & { readonly path: string } {
  if (kept !== undefined) return { path: kept, [Symbol.dispose]() {} }
  const path = mkdtempSync(join(tmpdir(), 'recto-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** The key of the first admin of a data folder. */
export function adminKey(data: string): string {
  return readFileSync(join(data, 'admin-api-key'), 'utf8').trim()
}

/** Fills a database with what a run reads, where it has none of `table` yet, and says how long that took. */
export async function fillOnce(client: pg.Client, table: string, fill: () => Promise<void>): Promise<void> {
  if ((await client.query(`select 1 from ${table} limit 1`)).rowCount !== 0) return
  const began = performance.now()
  await fill()
  const { rows } = await client.query(`select count(*)::int as n from ${table}`)
  print(`${rows[0].n} rows of ${table}, made in ${((performance.now() - began) / 1000).toFixed(0)} s`)
}

/** How to reach the embedded PostgreSQL of a data folder, for `pg`. */
export function embeddedConnection(data: string) {
  return {
    host: join(data, 'socket'),
    port: 5432,
    user: 'recto',
    database: 'recto',
    password: readFileSync(join(data, 'postgres-password'), 'utf8').trim(),
  }
}

export interface Shot {
  readonly url: string
  readonly method?: 'GET' | 'PUT'
  readonly headers?: Record<string, string>
  readonly expect: number
  /** Addresses to ask for in turn, in place of the one in `url`. */
  readonly requests?: { readonly path: string }[]
  /** Such a list for each connection. */
  readonly lists?: readonly { readonly path: string }[][]
  /** The number of requests, in place of a time. */
  readonly amount?: number
}

export const CONNECTIONS = 16
const MS_OF_TICK = 10

/** Requests a second, over as many connections as are said, for some seconds. */
export async function requestsPerSecond(shot: Shot, seconds: number, connections = CONNECTIONS): Promise<number> {
  return (await fire(shot, seconds, connections)).rate
}

/** As `requestsPerSecond`, with the number of requests. */
export async function fire(
  { url, method = 'GET', headers = {}, expect, requests, lists, amount }: Shot,
  seconds: number,
  connections = CONNECTIONS,
): Promise<{ readonly rate: number; readonly requests: number }> {
  let clients = 0
  const result = await autocannon({
    url,
    method,
    headers,
    ...(requests && { requests }),
    ...(lists && {
      setupClient: (client: autocannon.Client) => {
        client.setRequests(lists[clients++ % lists.length]?.map((each) => ({ ...each, method, headers })) ?? [])
      },
    }),
    ...(amount !== undefined && { amount }),
    connections,
    duration: seconds,
  })
  const counted = result.statusCodeStats?.[`${expect}`]?.count ?? 0
  if (result.errors > 0 || counted !== result.requests.total) {
    throw new Error(`${url}: ${JSON.stringify(result.statusCodeStats)}, ${result.errors} errors`)
  }
  const took = (result.finish.getTime() - result.start.getTime()) / 1_000
  const rate = amount === undefined ? result.requests.average : result.requests.total / took
  return { rate, requests: result.requests.total }
}

export interface Timed {
  readonly p50: number
  readonly p95: number
  /** Processor time of the service and its database, in milliseconds a second. */
  readonly processor: number
}

/** Reads a page again and again, one read at a time. */
export async function timeReads(
  of: {
    readonly url: string
    readonly key: string
    readonly pid: number
    readonly data: string
    readonly path: string
  },
  seconds: number,
): Promise<Timed> {
  using load = openLoad(of.url, of.key, 1)
  const spent = processorTime({ pid: of.pid, cluster: join(of.data, 'postgres') })
  const all: number[] = []
  const until = performance.now() + seconds * 1_000
  while (performance.now() < until) {
    const began = performance.now()
    const { status } = await load.send('GET', of.path)
    if (status !== 200) throw new Error(`a read was answered ${status}`)
    all.push(performance.now() - began)
    await setTimeout(2)
  }
  all.sort((a, b) => a - b)
  const at = (share: number) => all[Math.floor(share * all.length)] ?? 0
  return { p50: at(0.5), p95: at(0.95), processor: spent() / seconds }
}

/** Runs every variant in turn, round by round, so that all see the same weather; returns the rates of each. */
export async function alternate<Name extends string>(
  variants: Readonly<Record<Name, () => Promise<number>>>,
  rounds: number,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const names = Object.keys(variants) as Name[]
  const rates = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round < rounds; round++) {
    for (const name of names) rates[name].push(await variants[name]())
  }
  return rates
}

/**
 * Tells, whenever it is called, the processor time in milliseconds that a service and its database have taken since
 * this began, by the ticks of proc(5).
 */
export function processorTime(of: { readonly pid: number; readonly cluster: string }): () => number {
  const spent = () => new Map([of.pid, ...processesIn(of.cluster)].map((pid) => [pid, ticksOf(pid)]))
  const before = spent()
  return () => {
    const ticks = [...spent()].map(([pid, after]) => Math.max(0, after - (before.get(pid) ?? 0)))
    return ticks.reduce((sum, each) => sum + each, 0) * MS_OF_TICK
  }
}

/** `utime` and `stime`; nothing of a process that has ended meanwhile. */
function ticksOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0
  }
}

/** The memory of a process (VmRSS of proc(5)), in MB. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const [low = 0, high = 0] = sorted.length % 2 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1)
  return (low + high) / 2
}

/**
 * A line for each variant: its median rate, and the median of its shares of the yardstick, round by round. What else
 * runs on the machine slows both alike within a round, so the shares hold still where the rates do not.
 */
export function report(rates: Readonly<Record<string, readonly number[]>>, yardstick: string): void {
  const base = rates[yardstick] ?? []
  for (const [name, values] of Object.entries(rates)) {
    const shares = values.map((value, round) => value / (base[round] ?? Number.NaN))
    const spread = [Math.min(...shares), Math.max(...shares)].map((share) => share.toFixed(2)).join(' to ')
    const rate = median(values).toFixed(0).padStart(8)
    print(`${name.padEnd(32)} ${rate}/s  ${median(shares).toFixed(2)}  (${spread})`)
    if (name !== yardstick) record(name, median(shares), spread)
  }
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** A page body of about `bytes` bytes, as people write them. */
export function sampleBody(bytes: number): string {
  const paragraph =
    '\n## Part\n\nA paragraph with **strong** words, `code`, and [a link](./other). ' +
    'It goes on for a while, as text does.\n\n- one\n- two\n'
  return `# A page\n${paragraph.repeat(Math.ceil(bytes / paragraph.length))}`.slice(0, bytes)
}
