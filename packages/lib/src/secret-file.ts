import { chmodSync, rmSync, writeFileSync } from 'node:fs'

/** Writes a line that only the owner of the file can read. */
export function writeSecretFile(path: string, line: string): void {
  // A file that is there may be readable to others, who may have opened it.
  rmSync(path, { force: true })
  writeFileSync(path, `${line}\n`, { mode: 0o600, flag: 'wx' })
  chmodSync(path, 0o600)
}
