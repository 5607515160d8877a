import { cleanName } from '@recto/lib/text/single-line.ts'
import type { OrgRole } from '../../access/caller.ts'
import type { OidcConfig } from '../../platform/config/oidc.ts'
import { emailOrUndefined, normalizedEmail } from '../principals/email.ts'

export type Claims = Readonly<Record<string, unknown>>

/** The organisation role of the claims: the highest of all that match; undefined: none, so the sign-in fails. */
export function roleFrom(claims: Claims, config: OidcConfig): OrgRole | undefined {
  if (isFirstAdmin(claims, config)) return 'admin'
  const values = config.roleClaim === undefined ? [] : listValues(claims, config.roleClaim)
  const roles = ['*', ...values].map((value) => config.roles.get(value))
  return roles.includes('admin') ? 'admin' : roles.find((role) => role !== undefined)
}

/** Whether the provider determines the role, so that each sign-in sets it; else only the first one does. */
export function givesRole(claims: Claims, config: OidcConfig): boolean {
  return config.roleClaim !== undefined || isFirstAdmin(claims, config)
}

/** The name of a person: the first claim that contains one. */
export function nameFrom(claims: Claims): string {
  return cleanName([claims.name, claims.preferred_username, claims.email, claims.sub], 200)
}

function isFirstAdmin(claims: Claims, { adminEmail }: OidcConfig): boolean {
  return adminEmail !== undefined && verifiedEmail(claims) === normalizedEmail(adminEmail)
}

/** The e-mail address of a person: only one that the provider has verified identifies them. */
export function verifiedEmail({ email, email_verified: isVerified }: Claims): string | undefined {
  return isVerified === true && typeof email === 'string' ? emailOrUndefined(email) : undefined
}

/** The strings of a claim: of the claim with that name, else of the nested one that the dots in the name describe. */
export function listValues(claims: Claims, name: string): string[] {
  const claimValue = Object.hasOwn(claims, name) ? claims[name] : name.split('.').reduce<unknown>(step, claims)
  return [claimValue].flat().filter((value) => typeof value === 'string')
}

function step(value: unknown, name: string): unknown {
  const within = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
  return within ? (value as Claims)[name] : undefined // an object with this member
}
