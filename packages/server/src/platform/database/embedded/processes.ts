import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** One signal of an escalation, for all processes or for one of them, and how long to wait until all are gone. */
export interface Step {
  readonly signal: NodeJS.Signals
  readonly only?: number
  readonly waitMs: number
}

const PROGRAMS: readonly string[] = ['postgres', 'initdb']

/** Whether a process has this id. That may be a zombie, or an unrelated process. */
export function isAlive(pid: number): boolean {
  // 0 and negative numbers would mean process groups.
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * The PostgreSQL processes of a folder. Every one has it as its working directory; that distinguishes them from an
 * unrelated process with a reused id, and finds backends that outlived their postmaster.
 */
export function processesIn(path: string): number[] {
  return process.platform === 'linux' ? inProc(path) : byLsof(path)
}

/** The parent of a process; undefined if it is unknown, or the process is gone. */
export function findParent(pid: number): number | undefined {
  try {
    const parentMatch = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return parentMatch === undefined ? undefined : Number(parentMatch)
  } catch {
    return undefined
  }
}

/** Sends each signal in turn to the remaining ones; returns the survivors of the last. */
export async function endAll(find: () => readonly number[], steps: readonly Step[]): Promise<readonly number[]> {
  for (const { signal, only, waitMs } of steps) {
    for (const pid of find().filter((pid) => only === undefined || pid === only)) send(pid, signal)
    const deadline = Date.now() + waitMs
    while (find().length > 0 && Date.now() < deadline) await delay(10)
  }
  return find()
}

/** Sends a signal; a process that is gone already is no error. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function inProc(path: string): number[] {
  const folder = statSync(path, { throwIfNoEntry: false })
  if (folder === undefined) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => worksIn(`/proc/${name}`, folder))
    .map(Number)
}

/** Compared by inode: the path may be seen through another mount, or have been renamed meanwhile. */
function worksIn(entry: string, folder: { readonly dev: number; readonly ino: number }): boolean {
  try {
    if (!PROGRAMS.includes(readFileSync(`${entry}/comm`, 'utf8').trimEnd())) return false
    const cwd = statSync(`${entry}/cwd`)
    return cwd.dev === folder.dev && cwd.ino === folder.ino
  } catch {
    // Gone meanwhile, a zombie, or of another account: PostgreSQL itself takes the last for dead.
    return false
  }
}

/** Without /proc (macOS). Lines of lsof: `p` and a process id, then `n` and a path. */
function byLsof(path: string): number[] {
  const names = PROGRAMS.flatMap((program) => ['-c', program])
  let output: string
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore']
    output = execFileSync('lsof', ['-a', '-d', 'cwd', ...names, '-F', 'pn'], { encoding: 'utf8', stdio })
  } catch {
    // It exits with 1 if nothing matches. PostgreSQL still rejects a folder whose postmaster is alive.
    return []
  }
  const folder = realpathSync(path)
  return [...output.matchAll(/^p(\d+)\n(?:f.*\n)?n(.*)$/gm)]
    .filter((match) => match[2] === folder)
    .map((match) => Number(match[1]))
}
