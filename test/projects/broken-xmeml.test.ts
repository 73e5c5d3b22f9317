import { rejectsBroken } from './broken-file.ts'
import { readXmeml } from './readers/xmeml.ts'

rejectsBroken('xmeml', [
  {
    file: 'xmeml/premiere_example.xml',
    read: readXmeml,
    breaks: [
      [
        'sound clips that overlap',
        [],
        'overlap audio track 7 clip 2 (sc01_sh010_anim.mov): starts at 194/5 s',
      ],
    ],
  },
  {
    file: 'xmeml/premiere_example.xml',
    read: readXmeml,
    tolerate: ['overlap audio track 7', 'sequence-end'],
    breaks: [
      ['text that is not well-formed', [['</labels>', '']], 'syntax file'],
      ['no document type', [['<!DOCTYPE xmeml>', '']], 'syntax file: <!DOCTYPE xmeml> is missing'],
      ['an unknown version', [['<xmeml version="4">', '<xmeml version="6">']], 'version xmeml'],
      [
        'a clip without id',
        [['<clipitem id="clipitem-3" frameBlend="FALSE">', '<clipitem>']],
        'missing xmeml/sequence/media/video/track[2]/clipitem[2]: attribute id',
      ],
      [
        'two clips of one id',
        [['id="clipitem-3"', 'id="clipitem-2"']],
        'duplicate xmeml/sequence/media/video/track[2]/clipitem[2]: another clipitem has the id clipitem-2',
      ],
      [
        'an end before the start',
        [['<end>322</end>', '<end>100</end>']],
        'range video track 2 clip 2 (sc01_sh020_anim.mov): ends',
      ],
      [
        'an out point before the in point',
        [['<in>0</in>\n\t\t\t\t\t\t<out>157</out>', '<in>170</in>\n\t\t\t\t\t\t<out>157</out>']],
        'range video track 2 clip 2 (sc01_sh020_anim.mov): out point',
      ],
      [
        'video clips that overlap',
        [
          ['<start>165</start>', '<start>112</start>'],
          ['<end>322</end>', '<end>269</end>'],
        ],
        'overlap video track 2 clip 2',
      ],
      [
        'a clip past the end of its media',
        [['<in>0</in>\n\t\t\t\t\t\t<out>157</out>', '<in>19</in>\n\t\t\t\t\t\t<out>176</out>']],
        'media-end video track 2 clip 2 (sc01_sh020_anim.mov): out point 88/15 s, the media has 35/6 s',
      ],
      [
        'a clip that plays more than it lasts',
        [['<out>157</out>', '<out>160</out>']],
        'speed video track 2 clip 2',
      ],
      [
        'a file that nothing defines',
        [['<file id="file-1"/>', '<file id="file-9"/>']],
        'reference xmeml/sequence/media/video/track[2]/clipitem/file: no file file-9',
      ],
      [
        'a file that is defined twice',
        [['<file id="file-2">', '<file id="file-1">']],
        'duplicate xmeml/sequence/media/video/track[2]/clipitem[2]/file',
      ],
      [
        'a fraction of a frame',
        [['<start>165</start>', '<start>165.5</start>']],
        'frames xmeml/sequence/media/video/track[2]/clipitem[2]: <start> 165.5',
      ],
      [
        'a file without duration',
        [['<duration>175</duration>\n\t\t\t\t\t\t\t<timecode>', '<timecode>']],
        'missing xmeml/sequence/media/video/track[2]/clipitem[2]/file: <duration>',
      ],
      [
        'a clip without duration',
        [['<duration>175</duration>', '']],
        'missing xmeml/sequence/media/video/track[2]/clipitem[2]: <duration>',
      ],
      [
        'a clip without rate',
        [
          [
            '<duration>175</duration>\n\t\t\t\t\t\t<rate>\n\t\t\t\t\t\t\t<timebase>30</timebase>\n\t\t\t\t\t\t\t<ntsc>FALSE</ntsc>\n\t\t\t\t\t\t</rate>',
            '<duration>175</duration>',
          ],
        ],
        'missing xmeml/sequence/media/video/track[2]/clipitem[2]: <rate>',
      ],
      [
        'no format of the picture',
        [
          ['<format>', '<other>'],
          ['</format>', '</other>'],
        ],
        'missing xmeml/sequence: <media><video><format>',
      ],
      [
        'a rate that is no whole number',
        [['<timebase>30</timebase>', '<timebase>29.97</timebase>']],
        'frames xmeml/sequence/rate: <timebase> 29.97',
      ],
      [
        '-1 without a transition',
        [['<end>322</end>', '<end>-1</end>']],
        'range xmeml/sequence/media/video/track[2]/clipitem[2]: start or end is -1',
      ],
      [
        'an empty path',
        [['file://localhost/D%3a/media/sc01_sh020_anim.mov', '']],
        'missing xmeml/sequence/media/video/track[2]/clipitem[2]/file: <pathurl>',
      ],
      [
        'a path that is no URL',
        [['file://localhost/D%3a/media/sc01_sh020_anim.mov', 'D:/media/a.mov']],
        'path xmeml/sequence/media/video/track[2]/clipitem[2]/file',
      ],
      [
        'a path with a space',
        [['D%3a/media/sc01_sh020_anim.mov', 'D%3a/media/sc01 sh020.mov']],
        'path xmeml/sequence/media/video/track[2]/clipitem[2]/file',
      ],
      [
        'a timecode that is another frame',
        [['<frame>8497</frame>', '<frame>8505</frame>']],
        'timecode xmeml/sequence/media/audio/track[3]/clipitem/file/timecode: 00;04;43;15 DF is frame 8497, not 8505',
      ],
      [
        'a link to no clip',
        [['<linkclipref>clipitem-14</linkclipref>', '<linkclipref>clipitem-99</linkclipref>']],
        'reference xmeml/sequence/media/video/track/clipitem/link[2]: there is no clipitem clipitem-99',
      ],
      [
        'a link to another position',
        [['<clipindex>2</clipindex>', '<clipindex>1</clipindex>']],
        'reference xmeml/sequence/media/video/track/clipitem/link[2]: item 1 of audio track 1 is not clipitem-14',
      ],
      [
        'sound without a source track',
        [
          [
            '<sourcetrack>\n\t\t\t\t\t\t\t<mediatype>audio</mediatype>\n\t\t\t\t\t\t\t<trackindex>1</trackindex>\n\t\t\t\t\t\t</sourcetrack>',
            '',
          ],
        ],
        'missing xmeml/sequence/media/audio/track/clipitem: <sourcetrack>',
      ],
      [
        'a channel that the file does not have',
        [
          [
            '<sourcetrack>\n\t\t\t\t\t\t\t<mediatype>audio</mediatype>\n\t\t\t\t\t\t\t<trackindex>1</trackindex>',
            '<sourcetrack>\n\t\t\t\t\t\t\t<mediatype>audio</mediatype>\n\t\t\t\t\t\t\t<trackindex>3</trackindex>',
          ],
        ],
        'reference xmeml/sequence/media/audio/track/clipitem/sourcetrack: the file has no audio channel 3',
      ],
    ],
  },
  {
    file: 'xmeml/premiere_example.xml',
    read: readXmeml,
    tolerate: ['overlap audio track 7'],
    breaks: [['clips after the end of the sequence', [], 'sequence-end xmeml/sequence']],
  },
])
