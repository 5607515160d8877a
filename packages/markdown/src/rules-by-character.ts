import type { MarkdownIt as Parser } from 'markdown-it'
import { isIndentedOutside } from './containers.ts'

/**
 * The characters at which the rules of the parser can begin; absent ones begin anywhere. Markdown-it tries all rules of
 * a chain at each line and special character, and nearly all fail at the first character.
 */
const BLOCKS: Readonly<Record<string, string>> = {
  fence: '`~',
  blockquote: '>',
  math_block: '$',
  hr: '*-_',
  list: '*+-0123456789',
  footnote_definition: '[',
  reference: '[',
  html_block: '<',
  heading: '#',
}
const INLINES: Readonly<Record<string, string>> = {
  www: 'w',
  linkify: ':',
  newline: '\n',
  escape: '\\',
  math_inline: '$',
  backticks: '`',
  strikethrough: '~',
  emphasis: '*_',
  link: '[',
  footnote_reference: '[',
  image: '!',
  autolink: '<',
  html_inline: '<',
  entity: '&',
}
const ASCII = 128

/** Makes each chain of rules one rule, which tries those that can begin at the character. Call it last. */
export function tryByCharacter(md: Parser): void {
  replaceChains(md.block.ruler, BLOCKS, (rulesAt) => (state, line, end, silent) => {
    // Silent: whether a block begins that ends the present paragraph.
    if (silent && isIndentedOutside(state, line)) return false
    const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)
    for (const rule of rulesAt(state.src.charCodeAt(start))) if (rule(state, line, end, silent)) return true
    return false
  })
  replaceChains(md.inline.ruler, INLINES, (rulesAt) => (state, silent) => {
    for (const rule of rulesAt(state.src.charCodeAt(state.pos))) if (rule(state, silent)) return true
    return false
  })
}

/** What a ruler of markdown-it has to do with it. */
interface Ruler<Rule> {
  readonly __rules__: readonly { readonly name: string; readonly fn: Rule }[]
  getRules(chain: string): Rule[]
}

function replaceChains<Rule>(
  ruler: Ruler<Rule>,
  starts: Readonly<Record<string, string>>,
  oneRule: (rulesAt: (code: number) => readonly Rule[]) => Rule,
): void {
  const getRuleChain = ruler.getRules.bind(ruler)
  const findStarts = (rule: Rule) => starts[ruler.__rules__.find(({ fn }) => fn === rule)?.name ?? '']
  const chains = new Map<string, { readonly of: readonly Rule[]; readonly one: Rule[] }>()
  ruler.getRules = (chain) => {
    const rules = getRuleChain(chain)
    const ruleChain = chains.get(chain)
    // Another list of rules if some were disabled since.
    if (ruleChain?.of === rules) return ruleChain.one
    const at = (code: number) => rules.filter((rule) => findStarts(rule)?.includes(String.fromCharCode(code)) ?? true)
    const byCode: (readonly Rule[])[] = []
    const one = [oneRule((code) => (byCode[Math.min(code, ASCII)] ??= at(code)))]
    chains.set(chain, { of: rules, one })
    return one
  }
}
