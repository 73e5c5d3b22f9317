import { outsideOf } from './outside.ts'
import type { Problem } from './problem.ts'
import { attributeOf, childrenOf, elementsIn, isElement, lineOf, parseSource } from './tree.ts'
import type { Child, Element } from './tree.ts'

/** What a particle says of itself. */
export interface Particle {
  readonly compositionId: string
  /** Its own canvas, in pixels. */
  readonly width: number
  readonly height: number
}

/** A source as it was read: what it says of itself, where it does, and what is wrong with it. */
export interface Reading {
  readonly declared: Particle | undefined
  /** Sorted by line; of very many the first that were found, errors before warnings. */
  readonly problems: readonly Problem[]
}

/** More help nobody, and a hostile source may have millions. */
const mostProblems = 100

/** Longest side of a particle's canvas, in pixels: that of the largest result. */
const maxSide = 4096

/**
 * Reads the source of a particle without running anything: its name and canvas, and every problem that shows
 * without playing it.
 */
export function readParticle(source: string): Reading {
  const parsed = parseSource(source)
  if ('why' in parsed) return { declared: undefined, problems: [error(parsed.why)] }
  const { roots, template } = parsed
  if (!template) return { declared: undefined, problems: [error(noTemplate)] }
  const { declared, problems: undeclared } = readDeclaration(template)
  const found = [wholeness(template, source), undeclared, problemsInside(template), besides(roots, template)]
  return { declared, problems: firstOf(found).toSorted(byLine) }
}

function firstOf(found: readonly Iterable<Problem>[]): Problem[] {
  const problems: Problem[] = []
  for (const some of found) {
    for (const problem of some) {
      if (problems.push(problem) === mostProblems) return problems
    }
  }
  return problems
}

const noTemplate =
  'there is no <template> at the root: wrap all of it, styles and scripts included, in <template data-composition-id="title" data-width="1920" data-height="1080">'

function* problemsInside(template: Element): Generator<Problem> {
  for (const element of elementsIn(template)) {
    yield* outsideOf(element)
    yield* ownClock(element, lineOf(element))
  }
}

function* wholeness(template: Element, source: string): Generator<Problem> {
  const line = lineOf(template)
  if (!template.sourceCodeLocation?.endTag) yield error('the <template> is not closed', line)
  if (!childrenOf(template).some(isElement)) yield error('the <template> holds no element', line)
  if (!source.includes('__timelines')) {
    const example = 'window.__timelines = { "title": { duration: () => 5, seek: (t) => { … } } }'
    yield { ...error(`no script registers a timeline, such as ${example}`, line), about: 'timeline' }
  }
}

/** The attributes stand on the template or on an element right inside it; the latter goes before. */
function readDeclaration(template: Element): Reading {
  const root = childrenOf(template)
    .filter(isElement)
    .find((element) => attributeOf(element, 'data-composition-id') !== undefined)
  const read = (name: string) => (root && attributeOf(root, name)) ?? attributeOf(template, name)
  const line = lineOf(root ?? template)
  const id = read('data-composition-id')?.trim() ?? ''
  const sides = ['data-width', 'data-height'].map((name) => ({ name, value: sideOf(read(name)) }))
  const problems = [
    ...(id === '' ? [error('data-composition-id is missing', line)] : []),
    ...sides
      .filter(({ value }) => value === undefined)
      .map(({ name }) => error(`${name} must be a whole number of pixels, 1 to ${maxSide}`, line)),
  ]
  const [width, height] = sides.map(({ value }) => value)
  const isWhole = id !== '' && width !== undefined && height !== undefined
  return { declared: isWhole ? { compositionId: id, width, height } : undefined, problems }
}

function sideOf(text: string | undefined): number | undefined {
  const side = /^\s*\d{1,4}\s*$/.test(text ?? '') ? Number(text) : 0
  return side >= 1 && side <= maxSide ? side : undefined
}

/** Elements whose time no timeline moves. */
const running = new Set(['video', 'audio', 'iframe', 'object', 'embed', 'marquee'])

function* ownClock({ tagName }: Element, line: number | undefined): Generator<Problem> {
  if (!running.has(tagName)) return
  const message = `<${tagName}> runs by a clock of its own: video and sound belong into the tracks, motion into the timeline`
  yield error(message, line)
}

/** Elements that may stand beside the template without being missed: they show nothing. */
const silent = new Set(['meta', 'title', 'base', 'noscript'])

function* besides(roots: readonly Child[], template: Element): Generator<Problem> {
  for (const node of roots) {
    if (node === template) continue
    const isText = node.nodeName === '#text' && 'value' in node && node.value.trim() !== ''
    const isShown = isElement(node) && !silent.has(node.tagName)
    if (!isText && !isShown) continue
    const what = isElement(node) ? `<${node.tagName}>` : 'the text'
    const line = node.sourceCodeLocation?.startLine
    yield { severity: 'warning', message: `${what} outside the first <template> is left out`, line }
  }
}

function error(message: string, line?: number): Problem {
  return { severity: 'error', message, line }
}

/** Those of the whole come first. */
function byLine(one: Problem, other: Problem): number {
  return (one.line ?? 0) - (other.line ?? 0)
}
