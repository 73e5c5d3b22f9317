import { describe, expect, it } from 'vitest'
import type { LanguagePair } from './languages.ts'
import { findLowerCaseWords, isUntranslated } from './untranslated.ts'

type Language = LanguagePair['from']
type Case = readonly [from: Language, to: Language, source: string, text?: string]

const titled = (cases: readonly Case[]) => cases.map((one) => ({ one, title: one.join(', ') }))

const check = ([from, to, source, text = source]: Case) => isUntranslated(source, text, { from, to })

describe('isUntranslated', () => {
  it.each(
    titled([
      ['en-US', 'zh-CN', 'We were on the way home'],
      ['en-US', 'zh-CN', 'We were on the way home', 'we were on the way home!'],
      ['en-US', 'zh-CN', 'We were on the way home', 'They were on the way home'],
      ['en-US', 'zh-CN', 'Hello.'],
      ['en-US', 'ja-JP', 'I SAID NO'],
      ['en-US', 'ko-KR', 'coffee'],
      ['en-US', 'ru-RU', "Don't!"],
      ['en-US', 'ja-JP', 'We were on the way', '我们在路上'],
      ['en-US', 'zh-CN', 'We were on the way', 'わたしたちは道にいた'],
      ['en-US', 'zh-CHT', 'We were on the way', '我们在路上'],
      ['en-US', 'zh-CN', 'We were on the way', '我們在路上'],
      ['en-US', 'fr-FR', 'We were on the way home'],
      ['en-US', 'fr-FR', 'We were on the way home', 'We are on the way home.'],
      ['en-US', 'es-ES', 'Thanks'],
      ['es-ES', 'pt-PT', 'No quiero hablar con usted'],
      ['fr-FR', 'en-US', "C'est la vie que je veux"],
      ['vi-VN', 'en-US', 'Xin chào các bạn'],
      ['zh-CN', 'en-US', '你好'],
      ['zh-CN', 'en-US', '我们在路上', '我们 on 路上 你好吗'],
      ['zh-CN', 'ja-JP', '今天天气很好'],
      ['zh-CN', 'zh-CHT', '我们在路上'],
      ['zh-CHT', 'zh-CN', '我們在路上'],
      ['ja-JP', 'zh-CN', 'ありがとう'],
      ['ja-JP', 'ko-KR', 'ありがとう'],
      ['ru-RU', 'en-US', 'Спасибо'],
      ['ko-KR', 'ja-JP', '감사합니다'],
      ['en-US', 'th-TH', 'We were on the way home'],
      ['en-US', 'th-TH', 'We were on the way home', '我们在路上'],
      ['en-US', 'ar-SA', 'We were on the way home', 'We were going home'],
      ['th-TH', 'en-US', 'เรากำลังกลับบ้าน'],
      ['ar-SA', 'en-US', 'كنا في الطريق إلى المنزل', 'كنا on the way إلى المنزل'],
      ['ar-SA', 'zh-CN', 'كنا في الطريق'],
      ['de-DE', 'en-US', 'Wir waren auf dem Weg nach Hause'],
      ['de-DE', 'en-US', 'Wir waren auf dem Weg nach Hause', 'Wir sind auf dem Weg nach Haus.'],
      ['es-MX', 'pt-BR', 'No quiero hablar con usted'],
      ['id-ID', 'en-US', 'Saya tidak mau pergi'],
      ['fil-PH', 'en-US', 'Hindi ko alam kung bakit'],
      ['zh-CN', 'zh-HK', '我们在路上'],
      ['en-US', 'zh-HK', 'He is not at home', '他不是在家的'],
      ['zh-HK', 'zh-CN', '佢哋喺屋企'],
      ['en-US', 'hi-IN', 'We were on the way home'],
    ]),
  )('$title is not translated', ({ one }) => {
    expect(check(one)).toBe(true)
  })

  it.each(
    titled([
      ['en-US', 'zh-CN', 'Christopher Nolan'],
      ['en-US', 'zh-CN', 'Bank of America'],
      ['en-US', 'zh-CN', 'NASA, FBI & CIA'],
      ['en-US', 'ja-JP', '- iPhone 15 Pro'],
      ['en-US', 'ko-KR', 'www.example.com'],
      ['en-US', 'ru-RU', '@someone #cats'],
      ['en-US', 'zh-CN', '1984'],
      ['en-US', 'zh-CN', '...'],
      ['en-US', 'zh-CN', 'U.S.A.'],
      ['en-US', 'zh-CN', '120 km/h'],
      ['en-US', 'fr-FR', 'Restaurant'],
      ['en-US', 'es-ES', 'No.'],
      ['en-US', 'fr-FR', 'Christopher Nolan'],
      ['en-US', 'fr-FR', 'We were on the way home', 'Nous étions sur le chemin du retour'],
      ['en-US', 'fr-FR', 'It is a parking', 'On a un parking'],
      ['es-ES', 'pt-PT', 'No quiero', 'Não quero falar com você'],
      ['zh-CN', 'ja-JP', '東京'],
      ['zh-CN', 'ja-JP', '上海', '上海'],
      ['zh-CN', 'zh-CHT', '你好'],
      ['ja-JP', 'zh-CN', '東京', '东京'],
      ['ja-JP', 'en-US', 'OK'],
      ['en-US', 'zh-CN', 'Hello', '你好'],
      ['en-US', 'zh-CN', 'Use Docker', '使用 Docker'],
      ['en-US', 'ja-JP', 'Confiscated', '没収'],
      ['en-US', 'th-TH', 'We were on the way home', 'เรากำลังกลับบ้าน'],
      ['en-US', 'th-TH', 'Use Docker', 'ใช้ Docker'],
      ['en-US', 'th-TH', 'Christopher Nolan'],
      ['en-US', 'ar-SA', 'We were on the way home', 'كنا في الطريق إلى المنزل'],
      ['th-TH', 'en-US', 'เรากำลังกลับบ้าน', 'We were on the way home'],
      ['de-DE', 'en-US', 'Wir waren auf dem Weg', 'We were on the way'],
      ['id-ID', 'ms-MY', 'Saya tidak mau pergi', 'Saya tidak mahu pergi'],
      ['es-MX', 'es-ES', '¿Dónde está el carro?', '¿Dónde está el coche?'],
      ['zh-CN', 'zh-HK', '他们不在家', '佢哋唔喺屋企'],
      ['zh-HK', 'zh-CN', '佢哋唔喺屋企', '他们不在家'],
      ['en-US', 'hi-IN', 'We were on the way home', 'हम घर जा रहे थे'],
    ]),
  )('$title passes', ({ one }) => {
    expect(check(one)).toBe(false)
  })

  it('takes a capitalised word for a name unless the file contains it in lower case', () => {
    const rules = { from: 'en-US', to: 'zh-CN' } as const
    expect(isUntranslated('Marmalade!', 'Marmalade!', rules)).toBe(false)
    const lowerCaseWords = findLowerCaseWords(['More marmalade?', 'Marmalade!'])
    expect(isUntranslated('Marmalade!', 'Marmalade!', { ...rules, lowerCaseWords })).toBe(true)
  })

  /** Lines in which a search for the ends of words would begin at each character. */
  const hostile = [
    ['signs inside a word', `Aaaaaa${'!'.repeat(80_000)}aaaaaaa`],
    ['apostrophes inside a word', `A${"'".repeat(80_000)}b`],
    ['signs of handles', `${'@'.repeat(80_000)}Aaaaaaaaaaaa`],
    ['signs only after a handle', `Aaaaaaaaaaaaa @${'!'.repeat(80_000)}`],
    ['one long word', `A${'a'.repeat(80_000)}`],
    ['letters with dots', `A${'.a'.repeat(40_000)}.`],
  ] as const

  it.each(hostile)('takes less than 0.5 s for a copied line with %s', (_, line) => {
    const began = process.threadCpuUsage()
    for (const to of ['zh-CN', 'fr-FR'] as const) isUntranslated(line, line, { from: 'en-US', to })
    const { user, system } = process.threadCpuUsage(began)
    expect((user + system) / 1000).toBeLessThan(500)
  })
})
