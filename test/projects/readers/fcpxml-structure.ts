import type { Inspection } from './read-project.ts'
import type { Element } from './xml.ts'

/** Attributes and ordered children of an element. */
interface Structure {
  /** Names of attributes; a required one ends in `!`. */
  readonly attributes: string
  /** Children in order: alternatives joined by `|`, then `?`, `*` or `+`. */
  readonly children: string
}

const placement = 'lane offset'
const edit = `${placement} name start duration! enabled`
const markers = 'marker|chapter-marker|rating|keyword|analysis-marker*'
const timing = 'conform-rate? timeMap?'
const videoAdjustments =
  'object-tracker? adjust-crop? adjust-corners? adjust-conform? adjust-transform? adjust-blend? adjust-stabilization? adjust-rollingShutter? adjust-360-transform? adjust-reorient? adjust-orientation? adjust-cinematic? adjust-colorConform?'
const soundAdjustments = 'adjust-volume? adjust-panner?'
const anchored = 'audio|video|clip|title|caption|mc-clip|ref-clip|sync-clip|asset-clip|audition|spine*'
const clips = 'audio|video|clip|title|mc-clip|ref-clip|sync-clip|asset-clip|audition|gap'
const filters = 'filter-video|filter-video-mask* filter-audio* metadata?'
const splitEdit = 'audioStart audioDuration modDate'
const eventItems =
  'clip|audition|mc-clip|ref-clip|sync-clip|asset-clip|collection-folder|keyword-collection|smart-collection|project*'

/** The structure of the elements that a project of cuts uses (FCPXML 1.10; colour conform since 1.11). */
const structures: Readonly<Record<string, Structure>> = {
  fcpxml: {
    attributes: 'version!',
    children: `import-options? resources? library|event|${eventItems}`,
  },
  library: { attributes: 'location colorProcessing', children: 'event|smart-collection*' },
  event: { attributes: 'name uid', children: eventItems },
  project: { attributes: 'name uid id modDate', children: 'sequence+' },
  resources: { attributes: '', children: 'asset|effect|format|media|locator*' },
  media: { attributes: 'id! name uid projectRef modDate', children: 'multicam|sequence?' },
  format: {
    attributes:
      'id! name frameDuration fieldOrder width height paspH paspV colorSpace projection stereoscopic',
    children: '',
  },
  asset: {
    attributes:
      'id! name uid start duration hasVideo format hasAudio videoSources audioSources audioChannels audioRate customLUTOverride colorSpaceOverride projectionOverride stereoscopicOverride auxVideoFlags',
    children: 'media-rep+ metadata?',
  },
  'media-rep': { attributes: 'kind sig src! suggestedFilename', children: 'bookmark?' },
  effect: { attributes: 'id! name uid! src', children: '' },
  sequence: {
    attributes: 'format! duration tcStart tcFormat audioLayout audioRate renderFormat keywords',
    children: 'note? spine+ metadata?',
  },
  spine: { attributes: `${placement} name format`, children: `${clips}|transition*` },
  audition: {
    attributes: `${placement} modDate`,
    children: 'audio|video|title|ref-clip|asset-clip|clip|sync-clip+',
  },
  'asset-clip': {
    attributes: `ref! ${edit.replace('!', '')} srcEnable format tcStart tcFormat audioRole videoRole ${splitEdit}`,
    children: `note? ${timing} ${videoAdjustments} ${soundAdjustments} ${anchored} ${markers} audio-channel-source* ${filters}`,
  },
  clip: {
    attributes: `${edit} format tcStart tcFormat ${splitEdit}`,
    children: `note? ${timing} ${videoAdjustments} ${soundAdjustments} spine|caption|${clips}* ${markers} audio-channel-source* ${filters}`,
  },
  'ref-clip': {
    attributes: `ref! ${edit} srcEnable useAudioSubroles ${splitEdit}`,
    children: `note? ${timing} ${videoAdjustments} ${soundAdjustments} ${anchored} ${markers} audio-role-source* ${filters}`,
  },
  video: {
    attributes: `ref! ${edit} srcID role`,
    children: `param* note? ${timing} ${videoAdjustments} ${anchored} ${markers} filter-video|filter-video-mask* reserved?`,
  },
  audio: {
    attributes: `ref! ${edit} srcID role srcCh outCh`,
    children: `note? ${timing} adjust-volume? ${anchored} ${markers} filter-audio*`,
  },
  gap: {
    attributes: 'name offset start duration! enabled',
    children: `note? ${anchored} ${markers} metadata?`,
  },
  transition: {
    attributes: 'name offset duration!',
    children: `filter-video? filter-audio? ${markers} metadata? reserved?`,
  },
  'conform-rate': { attributes: 'scaleEnabled srcFrameRate frameSampling', children: '' },
  timeMap: { attributes: 'frameSampling preservesPitch', children: 'timept*' },
  timept: { attributes: 'time! value! interp inTime outTime', children: '' },
  'adjust-volume': { attributes: 'amount', children: 'param*' },
  'adjust-conform': { attributes: 'type', children: '' },
  'adjust-transform': {
    attributes: 'enabled position scale rotation anchor tracking',
    children: 'param*',
  },
  'adjust-crop': { attributes: 'mode! enabled', children: 'crop-rect? trim-rect? pan-rect*' },
  'crop-rect': { attributes: 'left top right bottom', children: 'param*' },
  'trim-rect': { attributes: 'left top right bottom', children: 'param*' },
  'pan-rect': { attributes: 'left top right bottom', children: '' },
  'adjust-blend': { attributes: 'amount mode', children: 'param* reserved?' },
  'adjust-panner': {
    attributes:
      'mode amount original_decoded_mix ambient_direct_mix surround_width left_right_mix front_back_mix LFE_balance rotation stereo_spread attenuate_collapse_mix center_balance',
    children: 'param*',
  },
  param: {
    attributes: 'name! key value enabled',
    children: 'fadeIn? fadeOut? keyframeAnimation? param*',
  },
  keyframeAnimation: { attributes: '', children: 'keyframe*' },
  keyframe: { attributes: 'time! value! interp curve', children: '' },
  fadeIn: { attributes: 'type duration!', children: '' },
  fadeOut: { attributes: 'type duration!', children: '' },
  marker: { attributes: 'start! duration value! completed note', children: '' },
  'chapter-marker': { attributes: 'start! duration value! note posterOffset', children: '' },
  keyword: { attributes: 'start duration value! note', children: '' },
  'filter-video': { attributes: 'ref! name enabled', children: 'data* param*' },
  'filter-audio': { attributes: 'ref! name enabled presetID', children: 'data? param*' },
  metadata: { attributes: '', children: 'md*' },
  md: {
    attributes: 'key! value editable type displayName description source',
    children: 'array?',
  },
  array: { attributes: '', children: 'string*' },
  note: { attributes: '', children: '' },
}

/** Values that some attributes are limited to, by element and attribute; `*` is any element. */
const values: Readonly<Record<string, readonly string[]>> = {
  '*@tcFormat': ['DF', 'NDF'],
  '*@srcEnable': ['all', 'audio', 'video'],
  '*@enabled': ['0', '1'],
  'sequence@audioLayout': ['mono', 'stereo', 'surround'],
  'sequence@audioRate': ['32k', '44.1k', '48k', '88.2k', '96k', '176.4k', '192k'],
  'media-rep@kind': ['original-media', 'proxy-media'],
  'conform-rate@scaleEnabled': ['0', '1'],
  'conform-rate@srcFrameRate': ['23.98', '24', '25', '29.97', '30', '60', '47.95', '48', '50', '59.94'],
  'timept@interp': ['smooth2', 'linear', 'smooth'],
  'timeMap@preservesPitch': ['0', '1'],
  'timeMap@frameSampling': [
    'floor',
    'nearest-neighbor',
    'frame-blending',
    'optical-flow-classic',
    'optical-flow',
  ],
  'adjust-conform@type': ['fit', 'fill', 'none'],
  'adjust-crop@mode': ['trim', 'crop', 'pan'],
}

/** Elements whose identifiers are XML IDs: names, unique in the document. */
const identified = new Set(['format', 'asset', 'effect', 'media', 'locator', 'project', 'text-style-def'])

/**
 * Checks elements against the structure of FCPXML: names and order of children, required and known attributes,
 * limited values, unique ids. Does not look inside elements outside the table, such as smart collections.
 */
export function checkStructure(root: Element, inspection: Inspection): void {
  checkIds(root, inspection)
  const visit = (element: Element): void => {
    const structure = structures[element.name]
    if (!structure) return
    checkAttributes(element, structure, inspection)
    checkOrder(element, structure, inspection)
    for (const child of element.children) visit(child)
  }
  visit(root)
}

function checkAttributes(element: Element, { attributes }: Structure, inspection: Inspection): void {
  const known = attributes.split(' ')
  for (const name of known) {
    if (!name.endsWith('!') || element.attributes[name.slice(0, -1)] !== undefined) continue
    inspection.broken('missing', element.path, `attribute ${name.slice(0, -1)} is missing`)
  }
  for (const [name, value] of Object.entries(element.attributes)) {
    if (!known.includes(name) && !known.includes(`${name}!`)) {
      inspection.broken('unknown', element.path, `<${element.name}> has no attribute ${name}`)
    }
    const allowed = values[`${element.name}@${name}`] ?? values[`*@${name}`]
    if (allowed && !allowed.includes(value)) {
      inspection.broken('value', element.path, `${name} is "${value}", allowed are ${allowed.join(', ')}`)
    }
  }
}

/** Checks the order and number of the children of an element. */
function checkOrder(element: Element, { children }: Structure, inspection: Inspection): void {
  const steps = children.split(' ').filter((step) => step !== '')
  let position = 0
  let count = 0
  for (const { name } of element.children) {
    if (!steps.some((step) => namesOf(step).includes(name))) {
      inspection.broken('unknown', element.path, `<${element.name}> has no child <${name}>`)
      continue
    }
    let next = position
    while (next < steps.length && !accepts(steps[next] ?? '', name, next === position ? count : 0)) next++
    if (next === steps.length) {
      inspection.broken(
        'order',
        element.path,
        `<${name}> is out of order or repeated; the order is ${children}`,
      )
      continue
    }
    count = next === position ? count + 1 : 1
    position = next
  }
  for (const step of steps.filter((one) => one.endsWith('+'))) {
    if (element.children.some(({ name }) => namesOf(step).includes(name))) continue
    inspection.broken('missing', element.path, `<${element.name}> needs a child ${step.slice(0, -1)}`)
  }
}

function namesOf(step: string): string[] {
  return step.replace(/[?*+]$/, '').split('|')
}

/** Returns whether a step takes one more child of a name. */
function accepts(step: string, name: string, count: number): boolean {
  return namesOf(step).includes(name) && (count === 0 || !step.endsWith('?'))
}

function checkIds(root: Element, inspection: Inspection): void {
  const seen = new Set<string>()
  const visit = (element: Element): void => {
    const id = element.attributes['id']
    if (id !== undefined && identified.has(element.name)) {
      const isName = /^[A-Za-z_][\w.-]*$/.test(id)
      inspection.require(isName, ['value', element.path, `id "${id}" is not an XML name`])
      inspection.require(!seen.has(id), ['duplicate', element.path, `id ${id} is used twice`])
      seen.add(id)
    }
    for (const child of element.children) visit(child)
  }
  visit(root)
}
