import { CommandError, type Terminal } from '../command.ts'
import { changeProfiles, type Profile } from './profiles.ts'

/** An access token that expires sooner is refreshed. */
const MARGIN_MS = 60_000

/** A function that returns the key of a profile, or its access token, refreshed when it has expired. */
export function createKeySource(
  terminal: Pick<Terminal, 'env'>,
  profile: Profile & { readonly id: string },
): string | (() => Promise<string>) {
  if (!profile.signIn) return profile.key ?? ''
  let current: Profile = profile
  let refreshing: Promise<Profile> | undefined
  return async () => {
    if (hasExpired(current)) {
      refreshing ??= refreshed(terminal, profile.id)
      current = await refreshing.finally(() => {
        refreshing = undefined
      })
    }
    return current.signIn?.accessToken ?? current.key ?? ''
  }
}

function hasExpired({ signIn }: Profile): boolean {
  return signIn !== undefined && Date.parse(signIn.expiresAt) - MARGIN_MS < Date.now()
}

/** A refresh token works once, so that only one process may use it: another one may have done so. */
function refreshed(terminal: Pick<Terminal, 'env'>, id: string): Promise<Profile> {
  return changeProfiles(terminal, async (all) => {
    const profile = all.profiles[id]
    if (!profile?.signIn) throw new CommandError(`the profile ${id} was signed out`)
    if (!hasExpired(profile)) return [all, profile]
    const { refreshSignIn } = await import('./sign-in.ts')
    const signIn = await refreshSignIn(profile.url, profile.signIn).catch((error: Error) => {
      throw new CommandError(`the sign-in at ${profile.url} could not be refreshed: ${error.message}`)
    })
    if (!signIn) throw new CommandError('your sign-in has ended: run `recto login` again')
    const changedProfile = { ...profile, signIn }
    return [{ ...all, profiles: { ...all.profiles, [id]: changedProfile } }, changedProfile]
  })
}
