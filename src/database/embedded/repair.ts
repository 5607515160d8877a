import { text } from 'node:stream/consumers'
import type { Folder } from './folder.ts'
import { SUPERUSER } from './initialise.ts'
import { launch } from './launch.ts'
import { makePassword } from './password.ts'
import { PRODUCT } from './provision.ts'
import type { Runner } from './runner.ts'
import { StartError } from './start-error.ts'

/**
 * Sets a new password for a cluster whose password file is lost, with PostgreSQL's single-user mode, which needs
 * none. That takes the owner of the files anyway.
 */
export async function renewPassword(runner: Runner, folder: Folder): Promise<string> {
  const password = makePassword(folder)
  const { child, ended } = launch(runner, {
    program: 'postgres',
    args: ['--single', '-D', folder.cluster, '-c', 'listen_addresses=', 'template1'],
    cwd: folder.cluster,
    deathSignal: 'INT',
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const said = child.stderr === null ? '' : text(child.stderr)
  child.stdout?.resume()
  // One statement per line. The password is base64url, so that it needs no escaping.
  child.stdin?.end([SUPERUSER, PRODUCT].map((role) => `alter role ${role} password '${password}'\n`).join(''))
  const { ok, words } = await ended
  if (!ok) throw new StartError(`PostgreSQL could not set a new password (${words}): ${await said}`)
  return password
}
