/**
 * Property tests draw the same cases in every run: a change fails only for what it changed. `RECTO_SEED=random` draws
 * others, `RECTO_SEED=<number>` repeats those of a run that failed. `RECTO_ROUNDS=10` draws ten times as many where the
 * number of cases is `rounds(...)`.
 */
import fc from 'fast-check'

const { RECTO_SEED = '1', RECTO_ROUNDS = '1' } = process.env
if (RECTO_SEED !== 'random') fc.configureGlobal({ seed: Number(RECTO_SEED) })

/**
 * Text of any code points. The unit `binary` of fast-check, like its `webUrl`, builds a map of all 1.1 million of them
 * first, which takes over a second.
 */
export const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0x10ffff - 0x800 }).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800)), // no surrogates
})

/** The number of cases of an expensive property: many where CI has the time, else enough to find a common defect. */
export function rounds(count: number): number {
  return count * Number(RECTO_ROUNDS)
}

export { fc }
