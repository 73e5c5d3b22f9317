import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCodePoint } from '../../../test/code-points.ts'
import { cleanTranslation } from './clean-translation.ts'

const plain = 'She left.'

describe('cleanTranslation', () => {
  it.each<[string, string, string]>([
    ['ASS line breaks', String.raw`她\N走了\n吗`, '她\n走了\n吗'],
    ['escaped line breaks', String.raw`她\\N走了`, '她\n走了'],
    ['hard spaces', String.raw`她\h走了`, '她 走了'],
    ['HTML tags', '<i>她</i>走了<br/>吗 <b>', '她走了\n吗'],
    ['coloured text', '<font color="#ff0000">她走了</font>', '她走了'],
    ['ASS tags', String.raw`{\an8}{\i1}她走了{\i0}`, '她走了'],
    ['MicroDVD tags', '{y:i}她走了', '她走了'],
    ['escaped tags', '&lt;i&gt;她走了&lt;/i&gt; &amp; 他', '她走了 & 他'],
    ['bold Markdown', '**她走了**', '她走了'],
    ["a translator's note", "Elle est partie. (Translator's note: a pun)", 'Elle est partie.'],
    ['a short note', 'Elle est partie [TN: a pun (twice) in English]', 'Elle est partie'],
    ['a nested note', 'Elle est partie (Note: a pun (in English))', 'Elle est partie'],
    ['a Chinese note', '她走了。（注：双关语）', '她走了。'],
    ['a Chinese note without brackets', '她走了。\n注：双关语', '她走了。'],
    ['a Chinese note on the same line', '她走了。译者注：双关语', '她走了。'],
    ['a Japanese note', '彼女は去った（訳注：だじゃれ）', '彼女は去った'],
    ['a Japanese reference', '彼女は去った。※だじゃれ', '彼女は去った。'],
    ['a Korean note', '그녀는 떠났다. (역주: 말장난)', '그녀는 떠났다.'],
    ['a French note', 'Elle est partie. (N.d.T. : jeu de mots)', 'Elle est partie.'],
    ['a Spanish note', 'Se fue. (N. del T.: juego)', 'Se fue.'],
    ['a Russian note', 'Она ушла. (Прим. пер.: каламбур)', 'Она ушла.'],
    ['a Portuguese note', 'Foi-se. [Nota do tradutor: trocadilho]', 'Foi-se.'],
    ['a note alone', '（注：这句无法翻译）', ''],
    ['control characters', 'a\u0000b\u0007c\u0085d\u2028e\tf\u001b[31m', 'abc\nd\ne f[31m'],
    ['bidirectional controls', '\u202Ea\u202C\u2066b\u2069\u200Ec\u200F\uFEFF', 'abc'],
    ['lone surrogates', 'a\ud800b', 'ab'],
  ])('removes %s', (_, said, clean) => {
    expect(cleanTranslation(plain, said)).toBe(clean)
  })

  it.each<[string, string, string]>([
    ['a note of the source', 'Note: the exam is tomorrow.', '注：考试在明天。'],
    ['a text with a colon', 'Remember: it is tomorrow.', '备注：在明天。'],
    ['other brackets', 'NASA called.', 'NASA（美国宇航局）来电话了。'],
    ['a word that only begins like a note', 'Notable (notebook: cheap)', 'Notable (notebook : bon marché)'],
    ['braces and angle brackets of the source', 'if {x} < y > z', '如果 {x} < y > z'],
    ['comparisons', 'a', 'a < b > c'],
    ['paths of the source', String.raw`C:\New\north`, String.raw`C:\New\north`],
    ['emphasis of the source', '**no**', '**不**'],
    ['entities of the source', 'Write &amp; here', '在这里写 &amp;'],
    ['lines of two speakers', '- a\n- b', '- 一\n- 二'],
    ['joiners of scripts and emoji', 'x', '👨‍👩‍👧 नमस्\u200dते می\u200cخواهم'],
    ['marks in right-to-left text', 'x', 'שלום\u200f!'],
    ['flags', 'x', '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}'],
  ])('keeps %s', (_, source, said) => {
    expect(cleanTranslation(source, said)).toBe(said)
  })

  it('never returns control characters, and changes a clean result no further', () => {
    const signs = [
      '\\N',
      '<i>',
      '{\\an8}',
      '(Note: ',
      '注：',
      ')',
      '。',
      '\u202e',
      '\u0000',
      '\u2066',
      '&lt;',
      'a',
      '你',
    ]
    const said = fc.array(fc.oneof(fc.constantFrom(...signs), fc.string({ unit: anyCodePoint })), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(said, (parts) => {
        const clean = cleanTranslation(plain, parts.join(''))
        expect(clean).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u)
        expect(clean).not.toMatch(/\\N/)
      }),
      { numRuns: 1000 },
    )
  })

  it('takes linear time', () => {
    for (const sign of [' ', '(note: ', '（注：', '<i ', '{\\', '\\', '注：', '\n', '**']) {
      const started = performance.now()
      cleanTranslation(plain, sign.repeat(20_000 / sign.length))
      expect(performance.now() - started, sign).toBeLessThan(5000)
    }
  })
})

/** Texts that make a search begin at many places or read the same spaces again. */
const hostile: Readonly<Record<string, string>> = {
  'open brackets': '[note: '.repeat(20_000),
  'open parentheses': '(note: '.repeat(20_000),
  'parentheses in one that stays open': `(note: ${'(a) '.repeat(30_000)}`,
  'wide spaces after a sentence': `走了。${'\u3000'.repeat(30_000)}a:`,
  'wide spaces in a Russian note': `прим${'\u3000'.repeat(30_000)}a:`,
  'signs of open notes': `走了:${'。*(['.repeat(20_000)}`,
}

describe('cleanTranslation of hostile texts', () => {
  it.each(Object.entries(hostile))('takes time in proportion to %s', (_, said) => {
    const began = process.cpuUsage()
    cleanTranslation(plain, said)
    const { user, system } = process.cpuUsage(began)
    expect((user + system) / 1000).toBeLessThan(400)
  })
})
