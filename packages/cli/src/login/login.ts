import { createClient } from '@recto/client/client.ts'
import { AuthenticationError } from '@recto/client/transport/errors.ts'
import { openInBrowser } from '../browser.ts'
import { type CommandCall, CommandError, DEFAULT_URL, EXIT, type Terminal } from '../command.ts'
import { trimOrigin } from '../connection.ts'
import { readInput } from '../input.ts'
import { printJson } from '../print.ts'
import { oneLine, printTable } from '../table.ts'
import { changeProfiles, findProfile, type Profile, type Profiles, profilesFile, readProfiles } from './profiles.ts'
import { endSignIn, signIn, signInErrorText } from './sign-in.ts'

const DEFAULT_PROFILE = 'default'

/** `recto login`: signs in by the browser, or stores an API key, in a profile. */
export async function loginCommand(call: CommandCall): Promise<void> {
  const { terminal } = call
  const id = terminal.env.RECTO_PROFILE || DEFAULT_PROFILE
  const knownProfile = readProfiles(terminal).profiles[id]
  const url = trimOrigin(call.option('url') || terminal.env.RECTO_URL || knownProfile?.url || DEFAULT_URL)
  const credentials = call.flag('key')
    ? { key: await readKey(terminal) }
    : { signIn: await signIn(url, (address) => show(call, address)).catch((error) => explain(error, url)) }
  const key = 'key' in credentials ? credentials.key : credentials.signIn.accessToken
  const name = await nameAt(url, key)
  await changeProfiles(terminal, async ({ profiles }) => [
    { current: id, profiles: { ...profiles, [id]: { url, name, ...credentials } } },
    undefined,
  ])
  terminal.out(`Signed in to ${url} as ${oneLine(name)}. The profile ${id} is in ${profilesFile(terminal)}.\n`)
}

/** The name of the principal of a key. */
async function nameAt(url: string, key: string): Promise<string> {
  try {
    return (await createClient({ url, key, maxRetries: 0 }).me.get()).name
  } catch (error) {
    if (!(error instanceof AuthenticationError)) throw error
    throw new CommandError(`${url} does not accept this key: ${error.message}`)
  }
}

function explain(error: Error, url: string): never {
  throw new CommandError(`signing in at ${url} failed: ${signInErrorText(error)}`)
}

function show(call: CommandCall, address: string): void {
  call.terminal.err(`To sign in, open this URL in a browser:\n${address}\n`)
  if (!call.flag('no-browser')) openInBrowser(call.terminal, address)
}

async function readKey(terminal: Terminal): Promise<string> {
  const key = (await readInput(terminal, undefined)).toString('utf8').trim()
  if (key === '') throw new CommandError('standard input has no API key')
  return key
}

/** `recto logout`: ends the sign-in of a profile, and removes the profile. */
export async function logoutCommand(call: CommandCall): Promise<number> {
  const { terminal } = call
  const profile = findProfile({ env: { ...terminal.env, RECTO_API_KEY: undefined, RECTO_URL: undefined } })
  if (!profile) throw new CommandError('you are not signed in')
  const leftProfiles = await changeProfiles(terminal, async (savedProfiles) => {
    const changedProfiles = withoutProfile(savedProfiles, profile.id)
    return [changedProfiles, changedProfiles]
  })
  terminal.out(`Signed out of ${profile.url}. The profile ${profile.id} was removed.\n`)
  if (leftProfiles.current === undefined && Object.keys(leftProfiles.profiles).length > 0)
    terminal.out('There is no default profile now: choose one with `recto profiles --use <name>`.\n')
  if (!profile.signIn) return EXIT.done
  try {
    await endSignIn(profile.url, profile.signIn)
    return EXIT.done
  } catch (error) {
    terminal.err(
      `recto: the service could not end the sign-in (${(error as Error).message}). ` +
        `Disconnect the app in your account there.\n`,
    )
    return EXIT.partial
  }
}

/** If only one profile is left, it is the default. */
function withoutProfile({ current, profiles }: Profiles, id: string): Profiles {
  const { [id]: _removed, ...others } = profiles
  const ids = Object.keys(others)
  const next = current === id ? (ids.length === 1 ? ids[0] : undefined) : current
  return { ...(next !== undefined && { current: next }), profiles: others }
}

/** `recto profiles`: lists the profiles, or makes one the default. */
export async function profilesCommand(call: CommandCall): Promise<void> {
  const { terminal } = call
  const use = call.option('use')
  if (use !== undefined) await useProfile(terminal, use)
  const { current, profiles } = readProfiles(terminal)
  const rows = Object.entries(profiles).map(([id, { url, name, key }]) => ({
    profile: id,
    current: id === current,
    url,
    name,
    with: key === undefined ? 'browser' : 'key',
  }))
  if (call.flag('json')) printJson(call, rows)
  else if (rows.length === 0) terminal.err('No profiles: `recto login` makes one.\n')
  else {
    printTable(
      terminal,
      [
        { title: 'PROFILE', of: ({ profile, current }) => (current ? `${profile} *` : profile) },
        { title: 'URL', of: ({ url }) => url },
        { title: 'SIGNED IN AS', of: ({ name }) => name, cut: true },
        { title: 'WITH', of: (row) => row.with },
      ],
      rows,
    )
  }
}

function useProfile(terminal: Terminal, id: string): Promise<void> {
  return changeProfiles(terminal, async ({ profiles }) => {
    const chosenProfile: Profile | undefined = profiles[id]
    if (!chosenProfile) throw new CommandError(`there is no profile ${id}`)
    return [{ current: id, profiles }, undefined]
  })
}
