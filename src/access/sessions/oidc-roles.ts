import type { OidcConfig } from '../../config/oidc.ts'
import type { OrgRole } from '../caller.ts'

export type Claims = Readonly<Record<string, unknown>>

/** The organisation role that the claims give: the better of all that fit; undefined: none, so no entry. */
export function roleFrom(claims: Claims, config: OidcConfig): OrgRole | undefined {
  if (isFirstAdmin(claims, config)) return 'admin'
  const values = config.roleClaim === undefined ? [] : valuesOf(claims, config.roleClaim)
  const roles = ['*', ...values].map((value) => config.roles.get(value))
  return roles.includes('admin') ? 'admin' : roles.find((role) => role !== undefined)
}

/** Whether the role is the provider's to say, so that each sign-in sets it; else it is given once. */
export function givesRole(claims: Claims, config: OidcConfig): boolean {
  return config.roleClaim !== undefined || isFirstAdmin(claims, config)
}

/** What people are called: the first claim that holds a name. */
export function nameFrom(claims: Claims): string {
  const found = [claims.name, claims.preferred_username, claims.email, claims.sub].find(
    (value) => typeof value === 'string' && value.trim() !== '',
  )
  return String(found).replaceAll('\0', '').trim().slice(0, 200)
}

/** Only an address that the provider has verified says who someone is. */
function isFirstAdmin(claims: Claims, { adminEmail }: OidcConfig): boolean {
  return (
    adminEmail !== undefined &&
    claims.email_verified === true &&
    typeof claims.email === 'string' &&
    claims.email.toLowerCase() === adminEmail.toLowerCase()
  )
}

/** The texts of a claim: of that very name, else what the dots in the name lead to. */
export function valuesOf(claims: Claims, name: string): string[] {
  const found = Object.hasOwn(claims, name) ? claims[name] : name.split('.').reduce<unknown>(step, claims)
  return [found].flat().filter((value) => typeof value === 'string')
}

function step(value: unknown, name: string): unknown {
  const within = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
  return within ? (value as Claims)[name] : undefined // it is an object that has the member
}
