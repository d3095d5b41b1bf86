// Frequent characters: the most common ones of East Asian encodings, which their standards list first, and the letters next
// to accented ones in Latin languages. Knows no files.

interface Rows {
  /** First and last lead byte of the level 1 characters, or of Hangul. */
  readonly leads: readonly [number, number]
  readonly trails: readonly (readonly [number, number])[]
}

const lowTrails = [0x40, 0x7e] as const
const highTrails = [0xa1, 0xfe] as const

const rows: Readonly<Record<string, Rows>> = {
  shift_jis: { leads: [0x88, 0x97], trails: [lowTrails, [0x80, 0xfc]] },
  'euc-jp': { leads: [0xb0, 0xcf], trails: [highTrails] },
  gb18030: { leads: [0xb0, 0xd7], trails: [highTrails] },
  big5: { leads: [0xa4, 0xc6], trails: [lowTrails, highTrails] },
  'euc-kr': { leads: [0xb0, 0xc8], trails: [highTrails] },
}

const sets = new Map<string, ReadonlySet<string>>()

/** True for the level 1 characters of an encoding; false for encodings without levels. */
export function isFrequent(encoding: string, character: string): boolean {
  const known = sets.get(encoding) ?? read(encoding)
  sets.set(encoding, known)
  return known.has(character)
}

function read(encoding: string): ReadonlySet<string> {
  const found = rows[encoding]
  if (found === undefined) return new Set()
  const bytes: number[] = []
  for (let lead = found.leads[0]; lead <= found.leads[1]; lead += 1) {
    for (const [from, to] of found.trails) for (let trail = from; trail <= to; trail += 1) bytes.push(lead, trail)
  }
  return new Set(new TextDecoder(encoding).decode(Uint8Array.from(bytes)).replaceAll('\ufffd', ''))
}

/**
 * Pairs of letters, one of them accented; a blank stands for the beginning or end of a word. They cover 96 % of those in
 * the names of countries, languages, currencies, months and units in CLDR, and of towns and people.
 */
const latinPairs: Readonly<Record<string, string>> = {
  fr: 'réé  éér îîléenéélaïtéégdéétménçhéénésbéléçaédièpéçoéciérèéoépcéfévéènèvévgéègètéalèmèoûûtœuhèoésèzéècèsébémêtëlïteçeïhôâtèréfêmaçaëoïtèuévèèqéqézïcôn â œaécœdèdîfèhâjélêmênîoëoîpârçrêrôsûsœtêwéyéâgçuèlèzéjééîmînîtïdïfïl',
  de: 'änürrößeläsüß übüd äönösmääh ükötüöraßoßrüüsißlüärätbüfäfügöhökämömüräußwäzöägäiöhötößücül ödäpääsäubäbödüeßgühäjäjöjülöménínüsãtäwüzäßbãoäcädäfäpålí öbödögölüfügühün åcógähékülílómånöpüré',
  es: 'ésánóní ñoóldóeñtáíarínéñalííndéióní ámátíañpúáré ísúbúncógülésáuídíiñlómétóuéuñál úcídámónúoñséénírórúl íaéaícéiéáfásérígómú  óbúcáeófégígúhúnópépórárérútúvíyáá ádávéféiélímíññeñiódósúmúñüeüiüíbébíbóiákálálú',
  pt: 'ãoêsóldóânnêárá açráçãôntãórnésãuêça ádêé ínlímãtóêníllêrãtâã çoésívõe ímêrísésíãeérlâménçâm à éaúcêcódôeçiçmánánípãrêtítôábágálélê íbísúlaíbábócâdágãiãlãlômínãnúpúrçtátêuíásévípónósúbúc ó ô úbébêbúcídãeógéhãhúiáiâmõoãoçpõrórúuávávóvôzâà àsávázçúécédépícígímíríçó ódóxô ômúdújúmúnúsaébâbãcádâgágâgígóhéiêiíiójãlálólõlú',
  it: 'à tàì ù dìé ò è iùlòtùhé èfèiàlàlìlólùménéníríròsésìtèuòvìålí ínón å',
  nl: 'iëë ëlëneëaïé ïnaëeïoëoöaççaïtór écèeüférèrövévóålèmènénééëvïeóóöeöpörün åcóhéló',
  ca: 'à èsiàdòòló nèàntàí lèàr àióçadèlàèrínaïlírítíuírçuèàlènísònbàcàeàmàrúè ílüe í òcèdàeçmèmémóníxíç é ïnïsòròsúsaçdígàgülònàoàuàvèzààbàmíbírívór èbèbébòeïeòeógèiènúoçpípópúqüràrèrósàtòtóvíxèxòàfàvècèlésímïmò òdòmú úbúraèbúcòcódúfèfògígòhàhéiòjàlómímònçoèpüsèsísótè',
  gl: 'ésánóldóí óntánéínlíméníríñodéíaiómápúuéá árñaeñañlélórárútíuíúbaíiñuñúa ácédágümósáélú únüibúcícóhúiápápósítóáiáxé énérímízñáórúl é íaébébíbódídúgáháhélálúnáoéoñpépírésótéuáwáwóxááb',
  sv: 'öaör öän åköönläväföröärösjöå åsråeåsöäsåkénöpmämåré ägömönöålånö öbödötlöuöårçaé dédöfägägåhålélóoçpårätöätäväxåbónögömövaçaöcóeöhéhö',
  da: 'ørøe årøsøær øålødårjølønøæsø øs ækølæmætøønmåmøpåå øbgæpæræånæiælænbædøfåfægågøhåjænæråuøvæåbådåkåsæbækøgøløy',
  fi: 'ä lädžäiö määätäjänäiäväärsätšpääjäkämänžažikä ššehäpötöyöähäläyöyšiašäs ä å öfäjölólöménörärísãsöãoäaätåbínónödötšašucóhéiškölímå',
  is: 'ísrííarúðuí íkínnítílísíónó únuðvíólúr íbíkóð ílómúsaíiðjórðróórdógídíúatúírítósgókílótóðiörú  á ú þaðbújökúsúvæíbóvjúpíárnúsóönúlbæmáúpmímóígótúbbógúlúpúænætæðíeðaúgútnýánærímóbópúd óhönóræívóaöfaójípóröá álásídók öfæfíhíhújáláráágökúkúmúvþódúeófðháhólölýsásæsététöáðægæjékéríuðvölúeýjýrýs æ éeþfúgömömúnárésýtæuóvöxíyðádáeákæ ækæségíp',
  fo: 'ðuiðørríuðíkrðónórbýð tí ínýtóvávíágísólýt óføílðvýsdóhøjójømámóróálíððilýpórøtývøælínðaøkønøtýuýð á æaðgøjálómírúsásæsøsúsýákámánægírítðoóeógókøgøvúoúsýgýr øaøbócódøfígæháhéhókýlálí',
  ga: 'áiéieáóiúií ánéatárúrímáréínráíoháiúé ó únláróómaímétídónéísgágóhélílósíuábácódélúmópáárírór é íbénápíá ítdáfógésététóvéícúbúdhítú ó údúnísúálílósú bóhóhúádúlcádísásóónótbúcícúmínópóváví',
  et: 'džõutšpõürlõ üpäža šäeärööšitüõhõlõrühülkõsüšežiänõi öjõkülämäääša õtätõväähö ašišjünäädöpüaünšošu ä žbüfägõhõkäkölžmémõpürärírõrösãsõtövõãoälämäpäté ínõbõgõnõzökönüsüüšvže',
  sq: 'ë nëtëërdësëkëënësrë çhëlëpëjëmëbëçeëmçaçë ëaçcëeçgërçvë',
  pl: 'ńsańówło śdżińałeńońołłuięośrótóń ć śwść łsłłaiąółętżyżaaźląpóuńódł łnnópłęcłgśrżi żażjómówózózłśnź źdgóułwęyńórągątęgły ó ć źbłcłdódądłdźełeżjękólómęoźwłzęójólósóząbącądąsążćmę ędęsężłbłd',
  cs: 'štý kýá káání é  čnškéů nírščetáál šřenářídžár úlšínjštýdšrárůtůmátšváži řčtdáměmšnéněpáýcčíělš bábřlívýzáíjašháičižménýtřákátžn žbšděečišjápřvévěádázášénúdčaějnůpíríušácářírúnšvžs áeňmínžsúuáučzíábésílísčkčuěmětň ňařášišsůvůžžážšběcícůdédůgšočošpňvíyšzšájámápásédéréšútúzěněsňůškšpšáží íaúaňbídřeáešgáhúhšiřkůlýlžmůořožpěrésátítěvšzéélíbípívíčíž',
  sk: 'čiý kýá kááré ánnčšt šnáláké čínrčdžvájčnéónlčrídčtátýóržiuáálí únmáráužväátätčažsdánýčečíašjúlímétčzáírúzčtžnbčeškómímčnítóénílšišs ú ľošušvévýzíýcľ ľuňažaažbácúeľgčičkúnóočrérózšérézópľaňoš šošv ždóečišjálómänžoľpátívčáčášäťíbúlšať ťažkdédíhčiónšpípňádámápédícíkívótčušk í ťaľbécíeňfígágélšlžmúožpäsýtévňyšzéábájávážäsécéléséšíjísíľóbúčýrč ',
  hu: 'áránéslámátá évázáágő áló élörmédénérásáájínülnáégénérét ájúköbádírúvégáhérösétéézírújdápárósütöás ö údőhákátóuáápónúltőzéácátázéközúpgégókólíríémökölönűr übédóiápétüzöábámévópösüt óaúföhókíkümírérővíákébédépíbítívóbócóiúnúrúzőrővbóeáfőgöiójákélózíádí ízózögükürüz í ő űaóbőcídöféfúfügőjókőlélönónönőpúrüsótűyíyöyőyűzózüzőzűávé éc',
  sl: 'čiščnšškjš šrš čišdžžižaašešužlščeošžnčadšočvššt žačbšičmšžečušišvežržtšč čjčršpečgšše',
  hr: 'ićškć  ščkašdžič ččaačžiešužšičežažn đ žžuečožćađaštžečnšašešvočrđršćičiđeš  ćađišošrčućuččjeđižjšlžnšoćpćpšålćeč čuđiđođu',
  ro: 'ă năzăşi şrăcăţilăânaşeşiţtă îînsăărştţaţăaţmâârălş ţ  ţbădăeţhăyţşofâmăsâădăiătăuşagâişkânţoţpăâmâzşăţecâcşfămémţoşpâ',
  lv: 'ārāneššulātāālmāiņdžērnāvāņurāīn š čjūņšš dāpāņagārīrūāņģivēļuži ķbāēnībšaiāādčeīrūdašdīeļmētīābēlēzēģīlūnūpūr ē ībētēzāā ātčaētīvķīžagēkānēnīāfāsāļķeši ā ģ ļ ņ žišjālīpīācājākāvčuējīgīpūlžīaķaņeāhēičjēmīpēpūršsīuāzīāgēdēmēņģuīcīdļašešķžužā ūačaēaūcēdēečeģeķfāfēhākīkļlēlžmšnšoļoņrērģsēuēuņzēāmčīēkēsģeī īmīzīņķiķēļkļoļūņeņišošr',
  lt: 'ų ė iųči šnųečnėtųėsdžėjrųži žlųširėėnmėdųžabųjųtėžekųvė čišlėūrgėsųškšvičrūšaūndėgųjūržėdšežužycūešpėštūtūz ą ūažršsėužzųąžčačešržėašhųkėmųušėlžoačdūgžkšlšlžnšpūsūtūuč',
  tr: 'ı rısı İçaçe ç şırgü öşeünürşidıkıeşoğİsağgıkçlıyığuıkş ıleçkütıç özşaişlütçızrştüükİbıs üçiülğlğrımşuaçaşiğoçübğ İnİzındümüpçrüuşyşççödöğü üşğdİrştböhıiçmısççyölüdüzğoşçbücüeğgökölşmşnınşrösöuğvşzıçoçrçuçıökömönöyöİücümüs',
  mt: 'ħaiżż  ġże ħgħgżġi ċ żċiġaċeżieġiċżaażiġġeġuċ ġjaħrġeżżjaċaġeħnċuġċjġ ġnġoħoeċtàużà ħeżvbżjġlġmġoċożrżwħċaċċġdġwġġħ ħiħu',
  cy: 'ŵrônlŷŵyŷnî gŵiâmôpîtŵtŷânôrŷ ïaŵn ŵâ ôlŷdcôrŵé ónŵe ŷbŷcŵdâdŵdŷfôgêgôhîhôhŷiôiŵlâlêlóménénïnônŵnŷpêpŵrárírïrôsãsŵtâtêáiârãoålê êlêmênínînïeôsöeŵ ŷgŷrŷs åbîbïhéjïlímámåmönírérórö',
}

const pairSets = new Map<string, ReadonlySet<string>>()

/** The pairs of a language, and its accented letters. */
export function latinPairsOf(language: string): ReadonlySet<string> {
  const known =
    pairSets.get(language) ?? new Set(latinPairs[language]?.match(/../g)?.flatMap((pair) => [pair, ...pair]))
  pairSets.set(language, known)
  return known
}
