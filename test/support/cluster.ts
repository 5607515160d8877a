import { setTimeout as delay } from 'node:timers/promises'
import { Client } from './client.ts'
import { startDatabaseProxy } from './database-proxy.ts'
import { until } from './embedded.ts'
import { violations } from './history.ts'
import { type Back, watchIdle } from './lateness.ts'
import { openLoad, times } from './load.ts'
import { missing, startLoadBalancer } from './load-balancer.ts'
import { startNodeProcesses } from './node-processes.ts'
import { missingPostgres, startReplicatedPostgres } from './replicated-postgres.ts'
import { startWriters, storedVersions } from './writers.ts'

/** What happens to the database of three nodes. */
export const FAULTS = [
  'the primary is killed',
  'the primary freezes, and thaws once another is the primary',
  'the standby is promoted while the primary runs',
  'a planned switch-over',
  'the proxy in front of the database is gone',
] as const
export type Fault = (typeof FAULTS)[number]

/** It is back from the end of the promotion, or the return of the proxy, on. */
export interface Round extends Back {
  readonly fault: Fault
  readonly acknowledged: number
  readonly violations: readonly string[]
}

export interface Cluster extends AsyncDisposable {
  /** Strikes once in the middle of concurrent conditional writes, waits until writes succeed, and checks all. */
  round(fault: Fault): Promise<Round>
  /** Reads every page of every round again. */
  checkAll(): Promise<readonly string[]>
}

const NODES = 3
const PAGES = 4
const WRITERS = 8
const BACK_MS = 60_000
/** A node answers within ten seconds whatever the database does; the other half is for a busy machine. */
const ANSWER_MS = 20_000
const DATABASE = 'recto'

/** Why no cluster can be started here; `false` where one can. */
export function missingForCluster(): string | false {
  return missing('haproxy') || missingPostgres()
}

/**
 * Two PostgreSQL servers with synchronous replication behind haproxy, three nodes, and another haproxy in front of
 * them.
 */
export async function startCluster(): Promise<Cluster> {
  await using starting = new AsyncDisposableStack()
  const postgres = starting.use(await startReplicatedPostgres(DATABASE))
  let [primary, standby] = postgres.servers
  const proxy = starting.use(await startDatabaseProxy(postgres.servers, () => primary))
  const nodes = starting.use(
    await startNodeProcesses(NODES, {
      SVC_DATABASE_URL: `postgres://postgres@127.0.0.1:${proxy.port}/${DATABASE}`,
      SVC_DATABASE_POOL: '4',
    }),
  )
  const balancer = starting.use(await startLoadBalancer('haproxy', nodes.ports))
  const hung: string[] = []
  const load = starting.use(
    openLoad(balancer.url, nodes.key, WRITERS + 1, { limitMs: ANSWER_MS, onHung: (what) => hung.push(what) }),
  )
  await new Client(balancer.url, nodes.key).space('cluster')
  const kept: { page: string; versions: number; body: string }[] = []
  let rounds = 0

  /**
   * The standby takes over: first nobody reaches the old primary, then there is a new one. Returns when it takes
   * writes.
   */
  async function failOver(): Promise<number> {
    await proxy.fence()
    await standby.promote()
    ;[primary, standby] = [standby, primary]
    proxy.unfence()
    return performance.now()
  }

  /** Strikes, and returns when writes have to come back from. */
  async function strike(fault: Fault): Promise<number> {
    if (fault === 'the proxy in front of the database is gone') {
      await proxy.kill()
      await delay(Math.random() * 3_000)
      await proxy.start()
      return performance.now()
    }
    if (fault === 'the primary is killed') primary.signal('SIGKILL')
    if (fault === 'the primary freezes, and thaws once another is the primary') primary.signal('SIGSTOP')
    if (fault === 'a planned switch-over') {
      await proxy.fence()
      await primary.stop()
    }
    return failOver()
  }

  async function untilWritten(page: string, began: number): Promise<Back> {
    const readIdle = watchIdle()
    await until(async () => {
      const answer = await load.send('PUT', page, { 'if-none-match': '*' }, 'back').catch(() => undefined)
      return answer?.status === 201 || answer?.status === 412
    }, BACK_MS)
    return { backMs: performance.now() - began, idleShare: readIdle() }
  }

  async function round(fault: Fault): Promise<Round> {
    const number = rounds++
    const pages = times(PAGES, (index) => `/pages/cluster/r${number}-p${index}`)
    await using writers = startWriters(load, pages, WRITERS)
    await until(() => writers.acknowledged() > 50, BACK_MS)
    await delay(Math.random() * 200)
    const before = primary
    const back = await untilWritten(`/pages/cluster/r${number}-back`, await strike(fault))
    if (fault === 'the primary freezes, and thaws once another is the primary') before.signal('SIGCONT')
    const acknowledged = writers.acknowledged()
    await until(() => writers.acknowledged() > acknowledged + 50, BACK_MS)
    if (primary !== before) await standby.follow(primary)
    const seen = await writers.stop()
    const wrong = hung.splice(0).map((what) => `${what} had no answer after ${ANSWER_MS} ms`)
    for (const [page, operations] of seen) {
      const stored = await storedVersions(load, page)
      wrong.push(...violations(operations, stored).map((words) => `${page}: ${words}`))
      kept.push({ page, versions: stored.length, body: stored.at(-1)?.body ?? '' })
    }
    return { fault, acknowledged: writers.acknowledged(), violations: wrong, ...back }
  }

  async function checkAll(): Promise<string[]> {
    const wrong: string[] = []
    for (const { page, versions, body } of kept) {
      const latest = await load.send('GET', `${page}.md`)
      if (latest.etag !== `"${versions}"` || latest.body.toString() !== body) {
        wrong.push(`${page} was at version ${versions}, and is now ${latest.etag ?? latest.status}`)
      }
    }
    return wrong
  }

  const running = starting.move()
  return { round, checkAll, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
