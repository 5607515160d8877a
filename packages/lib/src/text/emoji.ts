const EMOJI = /^\p{RGI_Emoji}$/v
/** Without it, some signs are shown as text (Unicode Technical Standard 51). */
const EMOJI_STYLE = '\uFE0F'

/** The value if it is one emoji, in the form that is shown in colour. */
export function parseEmoji(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 64) return undefined
  const text = value.trim()
  return [text, text + EMOJI_STYLE].find((form) => EMOJI.test(form))
}

/** The member `icon` of a page, if it has one. */
export function iconMember(value: unknown): { readonly icon?: string } {
  const icon = parseEmoji(value)
  return icon === undefined ? {} : { icon }
}
