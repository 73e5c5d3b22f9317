import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lacksBrowser, openPage, particle, play, rehearsed, timeline } from './play.ts'

describe.skipIf(lacksBrowser)('frames that are not captured', () => {
  let page: Awaited<ReturnType<typeof openPage>>
  beforeAll(async () => {
    page = await openPage()
  })
  afterAll(() => page[Symbol.asyncDispose]())

  it.each([
    `box.addEventListener('scroll', () => {})`,
    `addEventListener('scrollend', () => {}, { once: true })`,
    `box.addEventListener('webkitAnimationEnd', () => {})`,
    `box.onscroll = () => {}`,
    `document.onscroll = () => {}`,
    `document.body.onscroll = () => {}`,
    `document.body.setAttribute('onscroll', '')`,
    `box.innerHTML = '<i onscrollsnapchange="x"></i>'`,
    `onscroll = () => {}`,
    `void new Animation().ready`,
    `new Animation().onfinish = () => {}`,
    `new IntersectionObserver(() => {}).observe(box)`,
    `class Own extends ResizeObserver {}; new Own(() => {}).observe(box)`,
    `box.style.contentVisibility = 'auto'`,
    `box.style.animationTimeline = 'scroll()'`,
  ])('are drawn for %s', async (hearing) => {
    expect(await page.isDrawn(particle('<b id="box">x</b>', `${timeline('')}; ${hearing}`))).toBe(true)
  })

  it('are not drawn for a particle that hears nothing of them', async () => {
    const one = particle(
      '<b id="box" onclick="">x</b>',
      `${timeline('')}
       box.addEventListener('click', () => {})
       box.onload = () => {}
       new MutationObserver(() => {}).observe(box, { attributes: true })
       document.querySelector('b').classList.remove('x')
       document.fonts.ready.then(() => {})`,
    )
    expect(await page.isDrawn(one)).toBe(false)
  })
})

describe.skipIf(lacksBrowser)('what is told of drawn frames without end', () => {
  const endless = (own: string) =>
    particle('<b id="box" style="display:block">x</b>', `${timeline('')}; ${own}`)
  const told = expect.stringContaining('without end')

  it('refuses the particle: sizes', async () => {
    const page = endless(
      "new ResizeObserver(() => (box.style.height = box.offsetHeight + 1 + 'px')).observe(box)",
    )
    await expect(play([page])).rejects.toMatchObject({ code: 6016, message: told })
  })

  it('is found by a rehearsal: what is seen', async () => {
    const page = endless(
      'new IntersectionObserver((_, seeing) => (seeing.unobserve(box), seeing.observe(box))).observe(box)',
    )
    expect(await rehearsed(page)).toEqual([{ message: told }])
  })
})
