/**
 * @import { TaskSubject } from '../contract/task.ts'
 * @import { Api } from './api.js'
 */
import { addressOf } from './api.js'
import { card, mediaFacts } from './cards.js'
import { element } from './dom.js'

/**
 * An item of a result: a material that was found, or an image that was described.
 *
 * @typedef {{
 *   readonly id?: number,
 *   readonly index?: number,
 *   readonly name?: string,
 *   readonly title?: string,
 *   readonly author?: string,
 *   readonly note?: string,
 *   readonly desc?: string,
 *   readonly tags: readonly string[],
 *   readonly mark?: number,
 *   readonly usable_flags?: Readonly<Record<string, boolean>>,
 *   readonly thumb_url?: string,
 *   readonly cover_url?: string,
 *   readonly preview_url?: string,
 *   readonly duration?: number,
 *   readonly width?: number,
 *   readonly height?: number,
 * }} ResultItem
 */

/**
 * The items of an output that have tags: materials or described images; none for other outputs.
 *
 * @param {Readonly<Record<string, unknown>>} output
 * @returns {readonly ResultItem[]}
 */
function itemsOf(output) {
  const lists = Object.values(output).filter((value) => Array.isArray(value))
  return lists.find((list) => list.every(isItem)) ?? []
}

/** @param {unknown} value */
function isItem(value) {
  return typeof value === 'object' && value !== null && 'tags' in value && Array.isArray(value.tags)
}

/**
 * Cards of the materials that a task found, or of the images that it described; nothing for other outputs.
 *
 * @param {Api} api
 * @param {Readonly<Record<string, unknown>>} output
 * @param {TaskSubject['files']} files the input files in the order of the request
 * @returns {Promise<HTMLElement[]>}
 */
export async function resultCards(api, output, files) {
  const items = itemsOf(output)
  if (items.length === 0) return []
  // Images that the request contained as base64 are not files: then the order is not known.
  const inputs = files.length === items.length ? files : []
  const cards = await Promise.all(items.map((item) => itemCard(api, item, inputs[item.index ?? -1])))
  return [element('ul', { className: 'rows grid', ariaLabel: 'Results' }, ...cards)]
}

/**
 * @param {Api} api
 * @param {ResultItem} item
 * @param {TaskSubject['files'][number] | undefined} input
 */
async function itemCard(api, item, input) {
  const {
    id,
    index = 0,
    name = input?.name,
    title,
    author,
    note,
    desc,
    tags,
    mark,
    usable_flags = {},
    preview_url: url,
  } = item
  const own = item.thumb_url ?? item.cover_url
  const number = id === undefined ? `Image ${index + 1}` : `Material ${id}`
  return card({
    title: title ?? name ?? number,
    picture: own === undefined ? await pictureOf(api, input) : addressOf(own).href,
    author,
    facts: [
      ...((title ?? name) === undefined ? [] : [number]),
      ...mediaFacts(item),
      ...(mark === undefined ? [] : [`mark ${mark}`]),
    ],
    notes: (note ?? desc ?? '').split('\n').filter((line) => line !== ''),
    tags,
    flags: Object.keys(usable_flags).flatMap((flag) =>
      usable_flags[flag] ? [flag.replaceAll('_', ' ')] : [],
    ),
    preview:
      url === undefined
        ? undefined
        : { url: addressOf(url).href, kind: item.width === undefined ? 'audio' : 'video' },
  })
}

/**
 * Address of an input image, unless it was deleted or has expired.
 *
 * @param {Api} api
 * @param {TaskSubject['files'][number] | undefined} input
 */
async function pictureOf(api, input) {
  return input && (await api.link(input.file_id).catch(() => undefined))
}
