import { given } from '@recto/lib/given.ts'
import { cleanName } from '@recto/lib/text/single-line.ts'
import { MAX_EMAIL_LENGTH, parseEmail } from '../principals/email.ts'
import { type Json, scimError } from './protocol.ts'

interface ScimEmail {
  readonly value: string
  readonly type?: string
  readonly display?: string
  readonly primary?: boolean
}

/** The attributes of a person other than `userName` and `externalId`, as they are stored. */
export interface UserAttributes {
  readonly displayName?: string
  readonly name?: { readonly formatted?: string; readonly familyName?: string; readonly givenName?: string }
  readonly emails?: readonly ScimEmail[]
}

/** A person as a provider sends it. */
export interface UserInput {
  readonly userName: string
  readonly externalId?: string
  readonly attributes: UserAttributes
  /** Absent: as it is. */
  readonly active?: boolean
}

const MAX_EMAILS = 20
const MAX_TEXT = 500
/** The longest name of a principal. */
const MAX_NAME = 200

/** The attributes that are stored, by their names in lower case, each with its sub-attributes. */
export const STORED = {
  username: { name: 'userName', subs: [] },
  externalid: { name: 'externalId', subs: [] },
  displayname: { name: 'displayName', subs: [] },
  active: { name: 'active', subs: [] },
  name: { name: 'name', subs: ['formatted', 'familyName', 'givenName'] },
  emails: { name: 'emails', subs: ['value', 'type', 'display', 'primary'] },
} as const

/** The person of a body; attributes that are not stored are ignored (RFC 7644, 3.3). */
export function parseUser(body: Json): UserInput {
  const knownMembers = canonical(body)
  const userName = text(knownMembers.userName, 'userName', MAX_EMAIL_LENGTH)
  if (userName === undefined) throw scimError('invalidValue', '`userName` is required.')
  return {
    userName,
    ...given({ externalId: text(knownMembers.externalId, 'externalId', MAX_TEXT) }),
    attributes: given({
      displayName: text(knownMembers.displayName, 'displayName', MAX_TEXT),
      name: parseName(knownMembers.name),
      emails: parseEmails(knownMembers.emails),
    }),
    ...given({ active: boolean(knownMembers.active, 'active') }),
  }
}

/** The name that other people see. */
export function principalName({ userName, attributes: { displayName, name } }: UserInput): string {
  const parts = [name?.givenName, name?.familyName].filter((part) => part !== undefined).join(' ')
  return cleanName([displayName, name?.formatted, parts, userName], MAX_NAME)
}

/** The address with which a person signs in: the primary one, that of work, the first one, or the user name. */
export function signInEmail({ userName, attributes: { emails = [] } }: UserInput): string | null {
  const signInAddress =
    emails.findLast(({ primary }) => primary) ?? emails.find(({ type }) => type === 'work') ?? emails[0]
  if (signInAddress) return parseEmail(signInAddress.value)
  return userName.includes('@') ? parseEmail(userName) : null
}

/** The object with the exact names of the attributes that are stored: letter case does not count in requests. */
function canonical(body: Json): Partial<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) => {
      const name = storedAttribute(key)?.name
      return name === undefined ? [] : [[name, value]]
    }),
  )
}

/** A stored attribute by its name in whatever case. */
export function storedAttribute(name: string): (typeof STORED)[keyof typeof STORED] | undefined {
  const lower = name.toLowerCase()
  return Object.hasOwn(STORED, lower) ? STORED[lower as keyof typeof STORED] : undefined
}

/** The object with the exact names of the sub-attributes of `attribute`, without others. */
export function canonicalSubs(value: unknown, attribute: 'name' | 'emails'): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw scimError('invalidValue', `\`${attribute}\` must be made of objects.`)
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, sub]) => {
      const name = STORED[attribute].subs.find((each) => each.toLowerCase() === key.toLowerCase())
      return name === undefined ? [] : [[name, sub]]
    }),
  )
}

function parseName(value: unknown): UserAttributes['name'] {
  if (value === undefined || value === null) return undefined
  const subs = canonicalSubs(value, 'name')
  const texts = Object.entries(subs).flatMap(([key, sub]) => {
    const parsedPart = text(sub, `name.${key}`, MAX_TEXT)
    return parsedPart === undefined ? [] : [[key, parsedPart]]
  })
  return texts.length === 0 ? undefined : Object.fromEntries(texts)
}

function parseEmails(value: unknown): ScimEmail[] | undefined {
  if (value === undefined || value === null) return undefined
  const list = [value].flat()
  if (list.length > MAX_EMAILS) throw scimError('invalidValue', `\`emails\` has at most ${MAX_EMAILS} values.`)
  const emails = list.flatMap((item) => {
    const subs = canonicalSubs(item, 'emails')
    const address = text(subs.value, 'emails.value', MAX_EMAIL_LENGTH)
    if (address === undefined) return []
    parseEmail(address)
    const details = given({
      type: text(subs.type, 'emails.type', MAX_TEXT),
      display: text(subs.display, 'emails.display', MAX_TEXT),
      primary: boolean(subs.primary, 'emails.primary'),
    })
    return [{ value: address, ...details }]
  })
  return emails.length === 0 ? undefined : emails
}

/** Empty text and null count as absent: providers send them for what they do not know. */
function text(value: unknown, name: string, maxLength: number): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw scimError('invalidValue', `\`${name}\` must be a text.`)
  const trimmedText = value.trim()
  if (trimmedText.length > maxLength) {
    throw scimError('invalidValue', `\`${name}\` has at most ${maxLength} characters.`)
  }
  return trimmedText === '' ? undefined : trimmedText
}

/** Microsoft Entra sends `"True"` and `"False"`. */
function boolean(value: unknown, name: string): boolean | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return value
  const lower = typeof value === 'string' ? value.toLowerCase() : ''
  if (lower === 'true' || lower === 'false') return lower === 'true'
  throw scimError('invalidValue', `\`${name}\` must be true or false.`)
}
