import { isSingleLine } from '@recto/lib/text/single-line.ts'
import { type TString, type TStringOptions, Type } from 'typebox'

export const NUL_FREE = '^[^\\u0000]*$'

/** The formats of stored text, for validators: `single-line` and `multi-line` (lib/src/text/single-line.ts). */
export const TEXT_FORMATS = {
  'single-line': isSingleLine,
  'multi-line': (value: string) => isSingleLine(value.replace(/[\t\n\r]/g, ' ')),
}

/** A name, title, note or label: what others see in one line. */
export function line(options: Omit<TStringOptions, 'format'> = {}): TString {
  return Type.String({ ...options, format: 'single-line' })
}

/** A description: lines of which the same is true. */
export function lines(options: Omit<TStringOptions, 'format'> = {}): TString {
  return Type.String({ ...options, format: 'multi-line' })
}

/** Text that can be stored: any character but NUL. Lone surrogates cannot pass JSON or a URL. */
export function text(options: Omit<TStringOptions, 'pattern'> = {}): TString {
  return Type.String({ ...options, pattern: NUL_FREE })
}
