import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './process.ts'

const run = promisify(execFile)
const CACHE = join(ROOT, 'node_modules/.cache')

/**
 * Programs of Node 20, 22 and 24: that of this test, and the others from npm; without a registry those that were
 * installed before.
 */
export async function nodeVersions(): Promise<readonly string[]> {
  const others = await Promise.all(['20', '22'].map(installNode))
  return [process.execPath, ...others.filter((path) => path !== undefined)]
}

async function installNode(major: string): Promise<string | undefined> {
  const name = `node-${process.platform}-${process.arch}`
  const folder = join(CACHE, `node-${major}`)
  const program = join(folder, 'node_modules', name, 'bin/node')
  if (existsSync(program)) return program
  mkdirSync(CACHE, { recursive: true })
  const draft = mkdtempSync(join(CACHE, `node-${major}-`))
  try {
    writeFileSync(join(draft, 'package.json'), '{"private":true}')
    const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=0']
    await run('npm', ['install', `${name}@${major}`, ...options], { cwd: draft, timeout: 120_000 })
    // Another test file may have been faster.
    if (!existsSync(folder)) renameSync(draft, folder)
    return program
  } catch {
    return undefined
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
