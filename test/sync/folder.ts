import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Service } from '../support/service.ts'
import { type Ran, runCommand } from '../support/terminal.ts'

export interface SyncFolder extends Disposable {
  readonly path: string
  run(command: string, ...more: readonly string[]): Promise<Ran>
  clone(space: string, ...more: readonly string[]): Promise<Ran>
  /** Clones into a folder inside of this one. */
  cloneTo(name: string, space: string): Promise<Ran>
  write(name: string, text: string | Uint8Array): void
  read(name: string): string
  /** The texts of all files outside `.recto`. */
  files(): Readonly<Record<string, string>>
}

/** An empty folder for one space of the service. */
export function syncFolder(service: Service): SyncFolder {
  const path = join(mkdtempSync(join(tmpdir(), 'recto-test-')), 'folder')
  const run = (words: readonly string[]) =>
    runCommand(words, { RECTO_URL: service.admin.base, RECTO_API_KEY: service.admin.key ?? '' })
  return {
    path,
    run: (command, ...more) => run([command, ...more, '--folder', path]),
    clone: (space, ...more) => run(['clone', `${service.admin.base}/${space}`, path, ...more]),
    cloneTo: (name, space) => run(['clone', `${service.admin.base}/${space}`, join(path, name)]),
    write(name, text) {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), text)
    },
    read: (name) => readFileSync(join(path, name), 'utf8'),
    files() {
      const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
      const own = names.filter((name) => !name.startsWith('.recto') && statSync(join(path, name)).isFile())
      return Object.fromEntries(own.map((name) => [name, readFileSync(join(path, name), 'utf8')]))
    },
    [Symbol.dispose]: () => rmSync(dirname(path), { recursive: true, force: true }),
  }
}
