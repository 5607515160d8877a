import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** One signal of an escalation, for all or for one of them, and how long to wait until all are gone. */
export interface Step {
  readonly signal: NodeJS.Signals
  readonly only?: number
  readonly waitMs: number
}

const PROGRAMS: readonly string[] = ['postgres', 'initdb']

/** Whether a process has this number. A zombie has; so has a stranger's process. */
export function isAlive(pid: number): boolean {
  // 0 and negative numbers would ask about process groups.
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * The PostgreSQL processes at work in a folder. Every one has it as its working directory; that tells them from
 * a stranger that was given an old number, and finds backends that outlived their postmaster.
 */
export function processesIn(path: string): number[] {
  return process.platform === 'linux' ? inProc(path) : byLsof(path)
}

/** The parent of a process; undefined where that cannot be told, or it is gone. */
export function parentOf(pid: number): number | undefined {
  try {
    const found = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return found === undefined ? undefined : Number(found)
  } catch {
    return undefined
  }
}

/** Sends each signal in turn to those that are left; returns the survivors of the last. */
export async function endAll(
  find: () => readonly number[],
  steps: readonly Step[],
): Promise<readonly number[]> {
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
    // Gone meanwhile, a zombie, or another account's: PostgreSQL itself takes the last for dead.
    return false
  }
}

/** Where there is no /proc (macOS). Lines of lsof: `p` and a number, then `n` and a path. */
function byLsof(path: string): number[] {
  const names = PROGRAMS.flatMap((program) => ['-c', program])
  let output: string
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore']
    output = execFileSync('lsof', ['-a', '-d', 'cwd', ...names, '-F', 'pn'], { encoding: 'utf8', stdio })
  } catch {
    // It exits with 1 when nothing matches. PostgreSQL still refuses a folder whose postmaster lives.
    return []
  }
  const folder = realpathSync(path)
  return [...output.matchAll(/^p(\d+)\n(?:f.*\n)?n(.*)$/gm)]
    .filter((match) => match[2] === folder)
    .map((match) => Number(match[1]))
}
