import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from './client.ts'
import { until } from './embedded.ts'
import { violations } from './history.ts'
import { type Back, watchIdle } from './lateness.ts'
import { openLoad, times } from './load.ts'
import { launchProcess, type RectoProcess, startProcess } from './process.ts'
import { type Acknowledged, fileViolations, purgeFiles, startUploads } from './uploads.ts'
import { readAgain, startWriters, storedVersions } from './writers.ts'

/** What is killed with SIGKILL, and when. */
export const KILLS = [
  'node',
  'postmaster',
  'backend',
  'checkpointer',
  'everything',
  'everything during recovery',
  'everything during the first initialisation',
] as const
export type Kill = (typeof KILLS)[number]

export interface Cycle extends Back {
  readonly kill: Kill
  readonly acknowledged: number
  readonly violations: readonly string[]
}

export interface Victim extends AsyncDisposable {
  /**
   * Kills once in the middle of concurrent conditional writes and uploads, waits until the service is back, and checks
   * all.
   */
  cycle(kill: Kill): Promise<Cycle>
  /** Reads every page and file of every cycle again. */
  checkAll(): Promise<readonly string[]>
}

const PAGES = 4
const WRITERS = 12
/** Until the writers are at work: a machine with other work takes long. */
const BACK_MS = 120_000
const ENV = { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0', SVC_LOG_LEVEL: 'silent' }

/** A service that can be killed, and is started again where it does not come back by itself. */
export interface Killable extends AsyncDisposable {
  readonly url: string
  readonly key: string
  /** Strikes, and returns when the service has to be back by itself from. */
  strike(kill: Exclude<Kill, 'everything during the first initialisation'>): Promise<number>
}

/** Starts a service on a data folder of its own, which goes with it. */
export async function startKillable(): Promise<Killable> {
  const data = mkdtempSync(join(tmpdir(), 'recto-faults-'))
  let recto = await startProcess({ data, env: ENV })
  const { url, key } = recto
  const env = { ...ENV, SVC_PORT: new URL(url).port }

  async function strike(kill: Kill): Promise<number> {
    if (kill === 'postmaster' || kill === 'backend' || kill === 'checkpointer') {
      process.kill(victimOf(kill, data), 'SIGKILL')
      return performance.now()
    }
    killAll(kill === 'node' ? [recto.pid] : [recto.pid, ...pidsUnder(data)])
    await recto.ended
    if (kill === 'everything during recovery') await startAndKill(data, env, Math.random() * 400)
    const began = performance.now()
    recto = await startProcess({ data, env })
    return began
  }

  return {
    url,
    key,
    strike,
    async [Symbol.asyncDispose]() {
      await recto[Symbol.asyncDispose]()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** A service to be killed again and again, on one data folder. */
export async function startVictim(): Promise<Victim> {
  const killable = await startKillable()
  const { url, key } = killable
  const load = openLoad(url, key, WRITERS)
  const client = new Client(url, key)
  await client.space('faults')
  const keptFiles: { folder: string; acknowledged: Acknowledged }[] = []
  const kept: { page: string; versions: number; body: string }[] = []
  let cycles = 0

  async function cycle(kill: Kill): Promise<Cycle> {
    if (kill === 'everything during the first initialisation') return initialisation(kill)
    const pages = times(PAGES, (index) => `/pages/faults/c${cycles}-p${index}`)
    const folder = `c${cycles}-files`
    const probe = `/pages/faults/c${cycles}-probe`
    cycles++
    await using writers = startWriters(load, pages, WRITERS)
    await using uploads = startUploads(client, 'faults', folder)
    await until(() => writers.acknowledged() > 50 && uploads.acknowledged() > 0, BACK_MS)
    await delay(Math.random() * 100)
    const began = await killable.strike(kill)
    const back = await untilWritten(killable, probe, began)
    const [writes, files] = [writers.acknowledged(), uploads.acknowledged()]
    await until(() => writers.acknowledged() > writes + 20 && uploads.acknowledged() > files, BACK_MS)
    const seen = await writers.stop()
    const acknowledged = await uploads.stop()
    const wrong = [...(await fileViolations(client, { space: 'faults', folder, acknowledged }))]
    const first = [...acknowledged].find(([, { orAt, deleted }]) => !orAt && !deleted)
    keptFiles.push({ folder, acknowledged: new Map(first && [first]) })
    await purgeFiles(client, { space: 'faults', folder, acknowledged, except: first?.[0] })
    for (const [page, operations] of seen) {
      const stored = await storedVersions(load, page)
      wrong.push(...violations(operations, stored).map((words) => `${page}: ${words}`))
      kept.push({ page, versions: stored.length, body: stored.at(-1)?.body ?? '' })
    }
    return { kill, acknowledged: writers.acknowledged() + acknowledged.size, violations: wrong, ...back }
  }

  async function checkAll(): Promise<string[]> {
    const wrong: string[] = []
    for (const { page, versions, body } of kept) {
      const latest = await readAgain(load, `${page}.md`)
      if (latest.etag !== `"${versions}"` || latest.body.toString() !== body) {
        wrong.push(`${page} was at version ${versions}, and is now ${latest.etag ?? latest.status}`)
      }
    }
    for (const files of keptFiles) wrong.push(...(await fileViolations(client, { space: 'faults', ...files })))
    return wrong
  }

  return {
    cycle,
    checkAll,
    async [Symbol.asyncDispose]() {
      load[Symbol.dispose]()
      await killable[Symbol.asyncDispose]()
    },
  }
}

/** A folder of its own: the start that is killed is its first. */
async function initialisation(kill: Kill): Promise<Cycle> {
  const data = mkdtempSync(join(tmpdir(), 'recto-faults-'))
  await startAndKill(data, ENV, Math.random() * 1_500)
  const began = performance.now()
  const recto = await startProcess({ data, env: ENV })
  try {
    const admin = new Client(recto.url, recto.key)
    // The database may be away for a moment after the first response.
    const isCreated = async () => [201, 409].includes((await admin.post('/spaces', { slug: 'faults' })).status)
    await until(isCreated, BACK_MS)
    const back = await untilWritten(recto, '/pages/faults/first', began)
    return { kill, acknowledged: 1, violations: [], ...back }
  } finally {
    await recto[Symbol.asyncDispose]()
    rmSync(data, { recursive: true, force: true })
  }
}

async function startAndKill(data: string, env: Record<string, string>, afterMs: number): Promise<void> {
  const { child, ended, ready } = launchProcess({ data, env })
  ready.catch(() => {})
  await delay(afterMs)
  killAll([child.pid ?? 0, ...pidsUnder(data)])
  await ended
}

/** From the kill, or from the new start where that is needed, until a write succeeds. */
async function untilWritten(recto: Pick<RectoProcess, 'url' | 'key'>, page: string, began: number): Promise<Back> {
  const readIdle = watchIdle()
  using load = openLoad(recto.url, recto.key, 1)
  await until(async () => {
    const answer = await load.send('PUT', page, { 'if-match': '*' }, 'probe').catch(() => undefined)
    const made = answer?.status === 412 && (await load.send('PUT', page, {}, 'probe').catch(() => undefined))
    return answer?.status === 200 || (made && made.status === 201) || false
  }, BACK_MS)
  return { backMs: performance.now() - began, idleShare: readIdle() }
}

function victimOf(kill: 'postmaster' | 'backend' | 'checkpointer', data: string): number {
  const title = kill === 'backend' ? /: recto recto / : /checkpointer/
  if (kill === 'postmaster') {
    return Number(readFileSync(join(data, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  }
  const pid = pidsUnder(data).find((pid) => title.test(titleOf(pid)))
  if (pid === undefined) throw new Error(`there is no ${kill} among ${pidsUnder(data).map(titleOf).join(', ')}`)
  return pid
}

/** Every process that works in the folder or below it. */
function pidsUnder(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
      } catch {
        return false
      }
    })
}

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
