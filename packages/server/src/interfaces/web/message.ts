import { pageUrl } from '@recto/contract/page-url.ts'
import { cookieHeader, hostCookieName } from '../../identity/sessions/session-cookie.ts'

/** A request to the API that undoes a part of the action. */
interface UndoRequest {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly json?: object
  /** For `If-Match`. */
  readonly match?: string
}

/** A message about an action, for the next screen, and how to undo it. */
export interface Message {
  /** A path or a name, before the text. */
  readonly name?: string
  readonly text: string
  readonly undo?: Undo
}

type Undo =
  | {
      readonly requests: readonly UndoRequest[]
      /** The screen to show after Undo. */
      readonly url: string
    }
  /** A form of a screen, for what may need a confirmation: only forms lead to it, and then continue. */
  | { readonly form: { readonly action: string; readonly fields: Readonly<Record<string, string>> } }

/** The result of a form: the screen to go to, and the message there. */
export interface Done {
  readonly url: string
  readonly message: Message
}

const NAME = 'recto_message'
const SECONDS = 60
/** Browsers keep cookies of 4 KiB with their name. */
const MAX_CHARACTERS = 3_900

/**
 * `Set-Cookie` for a message (a flash message): the island `shell` shows it once. A cookie, not the URL, so that no
 * other site can write a message with its button, and documents of pages stay the same for everybody.
 */
export function messageCookie(publicUrl: string, message: Message): string {
  const { undo, ...rest } = message
  const [whole = '', short = ''] = [message, rest].map((value) => encodeURIComponent(JSON.stringify(value)))
  const value = whole.length <= MAX_CHARACTERS ? whole : short
  return cookieHeader(publicUrl, {
    name: hostCookieName(NAME, publicUrl),
    value: value.length <= MAX_CHARACTERS ? value : '',
    seconds: SECONDS,
    readable: true,
  })
}

/** The URL of a file in the API, with its path as one segment. */
export function apiFileUrl(space: string, path: string, resource = ''): string {
  return `/files/${space}/${encodeURIComponent(path)}${resource}`
}

/** The URL of what the API has of the reader about a page or space. */
export function apiOwnUrl(what: 'favourites' | 'unsaved' | 'watches', space: string, path?: string): string {
  return path === undefined ? `/me/${what}/${space}` : pageUrl(space, path).replace(/^\/pages/, `/me/${what}`)
}

/** The URL of a page in the API, with its path as one segment. */
export function apiPageUrl(space: string, path: string, resource = ''): string {
  return `/pages/${space}/${encodeURIComponent(path)}${resource}`
}
