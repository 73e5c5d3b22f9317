import type { Stt } from '../../src/contract/stt.ts'
import { estimateSpeechSeconds } from '../../src/media/speech/sentences.ts'
import type { TimeSpan } from '../../src/media/speech/speech-types.ts'
import { type Transcript, transcriptFromStt } from '../../src/media/speech/transcript.ts'
import { splitWords } from '../../src/media/speech/words.ts'

/** A transcript with passages that are worth a clip. */
export interface LongTalk {
  readonly stt: Stt
  /** The same as a transcript. */
  readonly transcript: Transcript
  /** In order, one in each tenth of the talk. */
  readonly highlights: readonly TimeSpan[]
  readonly seconds: number
}

/** What a long talk consists of: sentences of small talk, and passages that make a point. */
interface TalkTexts {
  readonly smallTalk: readonly string[]
  readonly things: readonly string[]
  readonly highlights: readonly (readonly string[])[]
}

const english: TalkTexts = {
  smallTalk: [
    'So let me see where we were with THING.',
    'We will come back to THING in a moment, as I said before.',
    'As I mentioned, THING is one of the things that we have here.',
    'And then there is also THING, which is more or less the same.',
    'I think most of you have seen THING already.',
    'Let me just move THING over here so that we can see it.',
    'Okay, so that was THING, and now we continue.',
    'There is not much to say about THING at this point.',
    'We talked about THING last time, so I will keep it brief.',
    'You know, THING is there, and it does what it does.',
    'All right, let us look at THING again for a second.',
    'I have a slide about THING somewhere, but it is not important.',
    'Is THING visible for everyone? Good, then let us continue.',
    'So yes, there were about 20 of THING in the room that day.',
  ],
  things: [
    'the agenda',
    'the report',
    'the second part',
    'the project',
    'the kitchen',
    'the table',
    'the other team',
    'the camera',
    'the schedule',
    'the building',
    'the software',
    'the first version',
    'the garden',
    'the meeting',
    'the picture',
  ],
  highlights: [
    [
      'When I was nineteen, a doctor gave me six months to live.',
      'That evening I sold my motorcycle and bought a ticket to Lisbon.',
      'I hid the reason from my parents, and I danced every night until sunrise.',
      'Forty years later, I still keep the boarding pass in my wallet.',
    ],
    [
      'Almost every company prices its product backwards.',
      'They add up costs, put a margin on top, and pray that someone pays.',
      'We doubled our price in March, lost three customers, and profit quadrupled.',
      'Customers who haggle over pennies will cost you dollars in support.',
    ],
    [
      'Octopuses have nine brains, and eight of them live in the arms.',
      'Cut off an arm, and it keeps hunting alone for an hour.',
      'Imagine your hand deciding what you eat tonight without asking you.',
      'That is why researchers compare them with a parliament rather than a king.',
    ],
    [
      'The biggest mistake in a job interview happens before you sit down.',
      'Recruiters decide within ninety seconds, and rationalise afterwards.',
      'Walk in, name one problem of theirs, and explain how you would solve it.',
      'Do that, and nobody will ask about the gap in your resume again.',
    ],
    [
      'In 1983, a Soviet officer saw five missiles on his screen and did nothing.',
      'Protocol demanded a counterstrike within minutes.',
      'Petrov reasoned that nobody starts a nuclear war with only five rockets.',
      'Sunlight reflected by clouds had fooled the satellite, and his doubt saved millions.',
    ],
    [
      'Why does bread go stale faster in a refrigerator?',
      'Starch crystallises quickest just above freezing, so cold air ruins the crumb.',
      'Freeze it instead, sliced, and toast it directly from frozen.',
      'You will never throw away half a loaf again.',
    ],
    [
      'My grandmother could not read, yet she ran a bank in our village.',
      'She tied knots into coloured strings, one per debt, red for overdue.',
      'When soldiers burned the town hall, her strings were the only records left.',
      'Every family paid back what it owed, down to the last goat.',
    ],
    [
      'Here is a trick that ended my insomnia after twelve years.',
      'Get up at exactly the same minute, even on Sundays, even after a terrible night.',
      'Pressure to sleep builds like hunger, and by Thursday you collapse into bed.',
      'No pill ever worked as well, and it costs nothing.',
    ],
    [
      'Our rocket exploded four seconds after launch, in front of two hundred guests.',
      'A missing comma in a spreadsheet had swapped fuel and oxidiser.',
      'Instead of firing the intern, I promoted her to head of verification.',
      'She has not let a single error pass since, because she knows how it feels.',
    ],
    [
      'Nobody on their deathbed regrets having too few followers.',
      'A nurse wrote down what the dying wished for, and courage came first.',
      'They wanted to have said I love you, sorry, and no.',
      'Say one of these three today, before you look at your phone.',
    ],
  ],
}

const chinese: TalkTexts = {
  smallTalk: [
    '我们先看一下THING这个部分。',
    '刚才说过THING，我们等一下再回来讲。',
    '然后这里还有THING，其实差不多。',
    '大家应该都看过THING了。',
    '我把THING移到这边来，这样大家都能看到。',
    '好，THING就是这样，我们继续。',
    '关于THING现在没有太多可以说的。',
    '上次我们讲过THING，所以这次简单说一下。',
    '那个，THING就在这里，大概是这样。',
    '我们再看一下THING，好吗？',
    '那天房间里大概有20个THING。',
  ],
  things: [
    '议程',
    '报告',
    '第二部分',
    '项目',
    '厨房',
    '桌子',
    '另一个团队',
    '相机',
    '时间表',
    '软件',
    '第一版',
    '花园',
  ],
  highlights: [
    [
      '十九岁那年，医生说我只剩六个月的生命。',
      '当晚我卖掉摩托车，买了去里斯本的机票。',
      '四十年过去了，登机牌还在我的钱包里。',
    ],
    [
      '几乎所有公司的定价方法都是反的。',
      '三月我们把价格翻倍，丢了三个客户，利润却涨了四倍。',
      '为几分钱砍价的客户，会让你赔上更多的售后成本。',
    ],
    [
      '章鱼有九个大脑，其中八个长在触手里。',
      '砍下一条触手，它还会独自捕猎一个小时。',
      '想象一下，你的手自己决定今晚吃什么。',
    ],
    [
      '面试最大的错误发生在你坐下之前。',
      '招聘官九十秒内就做出判断，之后只是找理由。',
      '进门先指出对方的一个难题，再告诉他怎么解决。',
    ],
    [
      '1983年，苏联军官彼得罗夫在屏幕上看到五枚导弹，却什么都没做。',
      '条令要求几分钟内反击，他断定没人会只用五枚火箭开战。',
      '原来是云层反射的阳光骗了卫星，他的怀疑救了数百万人。',
    ],
    [
      '为什么面包放冰箱反而更快变硬？',
      '淀粉在略高于冰点时结晶最快，冷气毁掉了口感。',
      '切片冷冻，直接烤，你再也不会浪费半条面包。',
    ],
    [
      '我奶奶不识字，却在村里经营一家银行。',
      '她用彩色绳子打结记账，红色代表逾期。',
      '士兵烧毁了镇公所，她的绳子成了唯一的账本。',
    ],
    [
      '有一个诀窍结束了我十二年的失眠。',
      '每天同一分钟起床，哪怕是星期天，哪怕整夜没睡。',
      '睡意像饥饿一样积累，到星期四你会一头栽倒在床上。',
    ],
    [
      '我们的火箭在两百位来宾面前，发射四秒后爆炸了。',
      '表格里少了一个逗号，燃料和氧化剂弄反了。',
      '我没有开除实习生，反而提拔她负责检验。',
    ],
    [
      '临终的人没有谁后悔粉丝太少。',
      '一位护士记录了他们的心愿，排第一的是勇气。',
      '今天就说一句我爱你、对不起或者不。',
    ],
  ],
}

const texts = { en: english, zh: chinese }
export type TalkLanguage = keyof typeof texts

/** Pauses between sentences, seconds: within a passage, and around it. */
const pauses = { within: 0.35, around: 0.9 }

/** Writes a talk of `seconds` with a highlight in each tenth. `random`: numbers from 0 to 1. */
export function writeLongTalk(language: TalkLanguage, seconds: number, random: () => number): LongTalk {
  const { smallTalk, things, highlights } = texts[language]
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? ''
  const planted = highlights.map((passage, tenth) => ({
    passage,
    at: (seconds * (tenth + 0.15 + 0.7 * random())) / highlights.length,
  }))
  const sentences: { text: string; start_time: number; end_time: number }[] = []
  const spans: TimeSpan[] = []
  let now = 1
  const say = (text: string) => {
    const end = now + estimateSpeechSeconds(text)
    sentences.push({ text, start_time: now, end_time: end })
    now = end + pauses.within
  }
  while (now < seconds) {
    const next = planted[spans.length]
    if (next && now >= next.at) {
      now += pauses.around
      const start = now
      for (const text of next.passage) say(text)
      spans.push({ start, end: now - pauses.within })
      now += pauses.around
    } else {
      say(pick(smallTalk).replace('THING', pick(things)))
      if (random() < 0.2) now += pauses.around
    }
  }
  const words = sentences.flatMap(({ text, start_time: start, end_time: end }) => {
    const list = splitWords(text)
    const each = (end - start) / list.length
    return list.map((word, index) => ({
      text: word,
      start_time: start + index * each,
      end_time: start + (index + 1) * each,
    }))
  })
  const stt = { word_tc_list: words, sentence_tc_list: sentences }
  const transcript = transcriptFromStt(stt, now + 1)
  return { stt, transcript, highlights: spans, seconds: now + 1 }
}
