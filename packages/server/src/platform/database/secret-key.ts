import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config.ts'
import { readIfThere } from './read-if-there.ts'

const NAME = 'secret-key'

/** The key in `<data>/secret-key`, which the first start generates, readable by its owner only. */
export function readOrMakeKey(data: string): Buffer {
  const path = join(data, NAME)
  const text = readIfThere(path) ?? make(path)
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== 32) {
    throw new ConfigError([
      `${path} does not hold 32 bytes in base64: restore it, or set SVC_SECRET_KEY. ` +
        `Without it the secrets of webhooks are lost, and cursors become invalid`,
    ])
  }
  chmodSync(path, 0o600)
  return key
}

/** Written to a temporary file, then linked (atomic): of two processes one makes the key, and both read it. */
function make(path: string): string {
  const draft = `${path}.${process.pid}`
  const file = openSync(draft, 'w', 0o600)
  writeSync(file, `${randomBytes(32).toString('base64')}\n`)
  fsyncSync(file)
  closeSync(file)
  try {
    linkSync(draft, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    rmSync(draft)
  }
  return readFileSync(path, 'utf8')
}
