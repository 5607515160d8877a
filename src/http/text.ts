import { type TString, type TStringOptions, Type } from 'typebox'

export const NUL_FREE = '^[^\\u0000]*$'

/** Text that every store can hold: any character but NUL. Lone surrogates do not come through JSON or an address. */
export function text(options: Omit<TStringOptions, 'pattern'> = {}): TString {
  return Type.String({ ...options, pattern: NUL_FREE })
}
