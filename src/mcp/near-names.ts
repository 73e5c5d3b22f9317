import { nearestWord } from '../contract/suggest-fix.ts'

/** Field names that arguments of other names mean, most likely first. Words are separated by a space. */
const synonymGroups: readonly (readonly [names: readonly string[], fields: readonly string[]])[] = [
  [
    [
      'file',
      'path',
      'filename',
      'file name',
      'file path',
      'filepath',
      'input',
      'input file',
      'src',
      'source',
    ],
    ['file', 'path', 'file_id', 'material'],
  ],
  [
    [
      'source file',
      'media',
      'video',
      'video file',
      'audio',
      'audio file',
      'image',
      'image file',
      'clip',
      'music',
    ],
    ['file', 'file_id', 'material'],
  ],
  [
    ['file id', 'id', 'asset'],
    ['file_id', 'file', 'material', 'task_id'],
  ],
  [
    [
      'voice',
      'voice file',
      'reference',
      'reference audio',
      'ref audio',
      'speaker',
      'ref file',
      'file',
      'file id',
    ],
    ['ref_file_id'],
  ],
  [['transcript', 'reference text', 'prompt text'], ['ref_text']],
  [['reference language', 'ref language', 'voice language'], ['ref_lang']],
  [
    ['language', 'lang', 'text language'],
    ['language', 'text_lang', 'la'],
  ],
  [['spoken language', 'audio language', 'speech language', 'language code', 'locale'], ['la']],
  [
    ['source language', 'from language', 'source lang', 'from'],
    ['language', 'la'],
  ],
  [['target language', 'to language', 'target lang', 'target', 'to'], ['translate_language']],
  [
    ['format', 'output type', 'file format'],
    ['output_format', 'project_formats'],
  ],
  [['formats', 'project format', 'output format', 'editor', 'editors', 'project'], ['project_formats']],
  [['footage path', 'media path', 'original path'], ['source_path']],
  [['transcript', 'text', 'script text', 'screenplay'], ['script']],
  [['rhythm', 'preset', 'pauses', 'pacing', 'pace', 'tempo'], ['rhythm_preset']],
  [['subtitles', 'subtitle'], ['subtitle_format']],
  [['style', 'subtitle style'], ['subtitle_type']],
  [['bilingual', 'lingual mode'], ['lingual_type']],
  [['ratio', 'aspect', 'aspect ratio', 'orientation'], ['output_ratio']],
  [['orientation'], ['video_size', 'resolution']],
  [
    ['color', 'font color', 'text color'],
    ['subtitle_color', 'background_color', 'c1'],
  ],
  [['color 1', 'color1', 'primary color', 'first color'], ['c1']],
  [['color 2', 'color2', 'secondary color', 'second color'], ['c2']],
  [['box', 'boxes', 'area', 'areas', 'region', 'rects', 'rectangles', 'bbox', 'bboxes'], ['regions']],
  [['method', 'mode', 'func type', 'engine', 'fill', 'algorithm'], ['purify_func_type']],
  [['mode', 'step', 'stage', 'action'], ['phase']],
  [['scope'], ['purify_scope']],
  [['remove', 'delete ids', 'ids'], ['remove_ids']],
  [['keep', 'protect ids'], ['keep_ids']],
  [
    ['regions file', 'region list', 'detection', 'list'],
    ['regions_file_id', 'regions'],
  ],
  [['title', 'song', 'song title', 'name'], ['track']],
  [['cover', 'cover image', 'artwork', 'album art'], ['cover_file_id']],
  [['background', 'background image', 'background video'], ['background_file_id']],
  [['template', 'visualizer', 'style'], ['template_id']],
  [
    ['size', 'dimensions', 'resolution', 'canvas size', 'frame size'],
    ['video_size', 'resolution', 'canvas'],
  ],
  [
    ['fps', 'rate', 'frame rate', 'framerate', 'frames per second'],
    ['fps', 'video_rate'],
  ],
  [['fit', 'object fit'], ['fit_mode']],
  [
    ['layout', 'arrangement'],
    ['layout_id', 'layout_mode'],
  ],
  [['audio', 'sound'], ['audio_mode']],
  [['videos', 'files', 'items', 'segments', 'shots'], ['clips']],
  [['music', 'sounds', 'audio tracks', 'soundtrack', 'voices', 'sound'], ['audio']],
  [
    ['in', 'in point', 'begin', 'start', 'start time', 'from', 'source start', 'trim start'],
    ['clip_st', 'start'],
  ],
  [
    ['out', 'out point', 'end', 'end time', 'to', 'source end', 'trim end'],
    ['clip_ed', 'end'],
  ],
  [
    ['in', 'in point', 'begin', 'begin time', 'start', 'start time', 'start ms', 'start time ms', 'from'],
    ['begin_time_ms'],
  ],
  [['out', 'out point', 'end', 'end time', 'end ms', 'to'], ['end_time_ms']],
  [['at', 'position', 'offset', 'timeline start'], ['track_st']],
  [['length', 'seconds', 'duration seconds'], ['duration']],
  [['gain', 'level'], ['volume']],
  [['mute'], ['muted']],
  [['preserve pitch', 'pitch'], ['keep_pitch']],
  [
    [
      'output',
      'output path',
      'output file',
      'out',
      'destination',
      'dest',
      'save path',
      'output dir',
      'save as',
    ],
    ['save_to'],
  ],
  [['wait', 'timeout', 'timeout seconds', 'wait time'], ['wait_seconds']],
  [['task', 'id', 'job id'], ['task_id']],
  [['kind', 'view', 'picture'], ['preview']],
  [['time', 'times', 'timestamp', 'timestamps', 'seconds', 'frame time'], ['at']],
  [['limit', 'count', 'per page'], ['page_size']],
  [['state', 'filter'], ['status']],
  [['type', 'tool', 'operation'], ['task_type']],
  [['width'], ['w']],
  [['height'], ['h']],
  [['w'], ['width']],
  [['h'], ['height']],
]

const synonyms: ReadonlyMap<string, readonly string[]> = collectSynonyms()

function collectSynonyms(): Map<string, string[]> {
  const byName = new Map<string, string[]>()
  for (const [names, fields] of synonymGroups) {
    for (const name of names) byName.set(name, [...(byName.get(name) ?? []), ...fields])
  }
  return byName
}

/** Longest name that is compared with the fields, characters. */
const maxNameLength = 60

/**
 * Returns the fields that an unknown argument name may mean, most likely first: by equal words in another notation, by
 * synonyms, by a slip of the pen, or as the only field that contains all its words.
 */
export function nearFields(name: string, fields: readonly string[]): readonly string[] {
  if (name.length > maxNameLength) return []
  const given = plainName(name)
  const plain = new Map(fields.map((field) => [plainName(field), field]))
  const same = plain.get(given)
  if (same !== undefined) return [same]
  const meant = (synonyms.get(given) ?? []).filter((field) => fields.includes(field))
  if (meant.length > 0) return meant
  const near = nearestWord(given, [...plain.keys()])
  if (near !== undefined) return [plain.get(near) ?? near]
  const words = given.split(' ').filter((word) => word.length > 2)
  const containing = fields.filter((field) => {
    const own = plainName(field).split(' ')
    return words.length > 0 && words.every((word) => own.includes(word))
  })
  return containing.length === 1 ? containing : []
}

/** Name in lower case with single spaces: camel case and separators become spaces, British spelling American. */
export function plainName(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .replaceAll('colour', 'color')
    .trim()
}
