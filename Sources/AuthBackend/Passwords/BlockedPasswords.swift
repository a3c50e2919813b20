/// Common passwords of 15 characters or more: keyboard walks, runs of digits, doubled words,
/// sayings.
///
/// The list is in lower case and sorted. It is short because a password of fewer than 15 characters
/// is refused anyway, and nearly all entries of the published lists are shorter.
/// Source: NIST SP 800-63B-4, section 3.1.1.2, on blocklists and their size.
package enum BlockedPasswords {
  /// The passwords in the order of the source.
  package static let list = text.split { $0 == " " || $0 == "\n" }.map(String.init)
  package static let all = Set(list)

  private static let text = """
    !qaz2wsx#edc4rfv 000000000000000 0000000000000000 00000000000000000000 000111222333444 007007007007007
    010203040506070 0102030405060708 012345678901234 0123456789012345 01234567890123456789 0987654321poiuytrewq
    100200300400500 101010101010101 1010101010101010 1029384756102938 111111111111111 1111111111111111
    11111111111111111111 111222333444555 111222333444555666 112233445566778 1122334455667788 11223344556677889900
    121212121212121 1212121212121212 123123123123123 123123123123123123 123321123321123321 1234123412341234
    123451234512345 1234512345123451 123456123456123456 123456789012345 1234567890123456 12345678901234567890
    1234567890987654321 123456789123456 123456789123456789 123456789987654321 123abc123abc123abc 123qwe123qwe123qwe
    123qweasdzxc123 123qweasdzxc1234 131313131313131 135792468013579 1357924680135792 141414141414141
    147258369147258 147258369147258369 147852369147852 151515151515151 159357159357159357 159753159753159753
    1a2b3c4d5e6f7g8h 1q2w3e4r1q2w3e4r 1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o0p 1qaz1qaz1qaz1qaz 1qaz2wsx3edc4rfv
    1qaz2wsx3edc4rfv5tgb 1qazxsw23edcvfr4 222222222222222 246810121416182 271828182845904 314159265358979
    3141592653589793 31415926535897932384 333333333333333 420420420420420 444444444444444 543210987654321
    555555555555555 666666666666666 696969696969696 777777777777777 7777777777777777 888888888888888
    9876543210123456 987654321098765 999888777666555 999999999999999 a1b2c3d4e5f6g7h8 aabbccddeeffgghh
    abc123abc123abc123 abcabcabcabcabc abcd1234abcd1234 abcdabcdabcdabcd abcdefg12345678 abcdefghijk12345
    abcdefghijklmno abcdefghijklmnop abcdefghijklmnopqrstuvwxyz admin1234567890 admin12345678910 adminadminadmin
    administrator123 administrator1234 administratoradministrator america123456789 america1234567890
    america12345678910 americaamericaamerica angel1234567890 angel12345678910 angelangelangel arsenal123456789
    arsenal1234567890 arsenal12345678910 arsenalarsenalarsenal asdfasdfasdfasdf asdfghjkl123456 asdfghjkl1234567
    asdfghjklqwertyuiop asdfjkl;asdfjkl; assassinscreed1 assassinscreed123 autumn123456789 autumn1234567890
    autumn12345678910 autumnautumnautumn azertyuiopqsdfgh azertyuiopqsdfghjklm babygirl12345678 babygirlbabygirl
    backstreetboys1 backstreetboys123 banana123456789 banana1234567890 banana12345678910 bananabananabanana
    barcelona123456789 barcelona1234567890 barcelona12345678910 barcelonabarcelona baseball123456789
    baseball1234567890 baseball12345678910 baseballbaseball bitchbitchbitch blessed123456789 blessed1234567890
    blessed12345678910 blessedblessedblessed buster123456789 buster1234567890 buster12345678910 busterbusterbuster
    butterfly123456789 butterfly1234567890 butterfly12345678910 butterflybutterfly callofduty12345 callofdutymodern
    canada123456789 canada1234567890 canada12345678910 canadacanadacanada changemechangeme changemeplease12
    charlie123456789 charlie1234567890 charlie12345678910 charliecharliecharlie cheese123456789 cheese1234567890
    cheese12345678910 cheesecheesecheese chelsea123456789 chelsea1234567890 chelsea12345678910 chelseachelseachelsea
    chocolate123456789 chocolate1234567890 chocolate12345678910 chocolatechocolate church123456789 church1234567890
    church12345678910 churchchurchchurch computer123456789 computer1234567890 computer12345678910 computercomputer
    cookie123456789 cookie1234567890 cookie12345678910 cookiecookiecookie correcthorsebatterystaple counterstrike123
    counterstrike16 dallascowboys123 daniel123456789 daniel1234567890 daniel12345678910 danieldanieldaniel
    december12345678 defaultpassword1 diamond123456789 diamond1234567890 diamond12345678910 diamonddiamonddiamond
    dontforgetmypassword dragon123456789 dragon1234567890 dragon12345678910 dragondragondragon family123456789
    family1234567890 family12345678910 familyfamilyfamily fcbarcelona12345 flower123456789 flower1234567890
    flower12345678910 flowerflowerflower football123456789 football1234567890 football12345678910 footballfootball
    forever123456789 forever1234567890 forever12345678910 forever21forever21 foreverforeverforever forgetmenot12345
    fortnitefortnite freedom123456789 freedom1234567890 freedom12345678910 freedomfreedomfreedom friends123456789
    friends1234567890 friends12345678910 friendsfriendsfriends fuckoffanddie123 fuckyoufuckyou1 fuckyoufuckyou123
    ginger123456789 ginger1234567890 ginger12345678910 gingergingerginger godisgoodallthetime gogogogogogogogo
    golden123456789 golden1234567890 golden12345678910 goldengoldengolden grandtheftauto5 greenbaypackers
    guestguestguest1 happybirthday123 happybirthdaytoyou happynewyear2024 happynewyear2025 happynewyear2026
    harrypotter12345 harrypotter123456 heaven123456789 heaven1234567890 heaven12345678910 heavenheavenheaven
    hello1234567890 hello12345678910 hellohellohello hellokittyhellokitty hockey123456789 hockey1234567890
    hockey12345678910 hockeyhockeyhockey hogwartshogwarts hunter123456789 hunter1234567890 hunter12345678910
    hunterhunterhunter idontknowmypassword iforgotmypassword ihatepasswords! ihatepasswords1 ilovemyfamily123
    ilovemyhusband1 iloveyou123456789 iloveyou1234567890 iloveyou12345678910 iloveyouforever iloveyouiloveyou
    iloveyoumorethan iloveyousomuch! iloveyousomuch1 ingodwetrust1234 internet123456789 internet1234567890
    internet12345678910 internetinternet january123456789 jennifer123456789 jennifer1234567890 jennifer12345678910
    jenniferjennifer jesus1234567890 jesus12345678910 jesuschrist12345 jesusjesusjesus jesuslovesyou123
    jordan123456789 jordan1234567890 jordan12345678910 jordanjordanjordan joshua123456789 joshua1234567890
    joshua12345678910 joshuajoshuajoshua justinbieber1234 justinbieber12345 killer123456789 killer1234567890
    killer12345678910 killerkillerkiller lakerslakers123 leagueoflegends leagueoflegends1 letmein123456789
    letmein1234567890 letmein12345678910 letmeinletmein123 letmeinletmeinletmein letmeinplease123 linkinpark12345
    livelaughlove123 livelaughloveforever liverpool123456789 liverpool1234567890 liverpool12345678910
    liverpoolfc12345 liverpoolliverpool lkjhgfdsapoiuytrewq login1234567890 login12345678910 loginloginlogin
    london123456789 london1234567890 london12345678910 londonlondonlondon losangeleslakers lovely123456789
    lovely1234567890 lovely12345678910 lovelylovelylovely lovers123456789 lovers1234567890 lovers12345678910
    loversloverslovers loveyouforever1 loveyouforever123 maggie123456789 maggie1234567890 maggie12345678910
    maggiemaggiemaggie manchestercity1 manchesterunited manchesterunited1 master123456789 master1234567890
    master12345678910 mastermastermaster masteroftheuniverse masterpassword123 maytheforcebewithyou merrychristmas1
    merrychristmas123 metallicametallica michael123456789 michael1234567890 michael12345678910 michaeljackson1
    michaeljackson123 michaelmichaelmichael minecraft123456789 minecraft1234567890 minecraft12345678910
    minecraftminecraft mnbvcxzlkjhgfdsa mondaymondaymonday monkey123456789 monkey1234567890 monkey12345678910
    monkeymonkeymonkey mothersmaidenname mylittlepony1234 mylittlepony12345 mypasswordis123 mypasswordispassword
    mysecretpassword naruto123456789 naruto1234567890 naruto12345678910 narutonarutonaruto neverevergiveup
    newyorkyankees1 newyorkyankees123 onceuponatime123 onedirection1234 onedirection12345 opensesameopensesame
    orange123456789 orange1234567890 orange12345678910 orangeorangeorange p@ssw0rd12345678 p@ssw0rdp@ssw0rd
    passw0rdpassw0rd password123456789 password1234567890 password12345678910 passwordpassword passwordpassword1
    passwordpassword123 passwort123456789 passwort1234567890 passwort12345678910 passwortpasswort pepper123456789
    pepper1234567890 pepper12345678910 pepperpepperpepper pittsburghsteelers poiuytrewqlkjhgfdsa pokemon123456789
    pokemon1234567890 pokemon12345678910 pokemonpokemonpokemon princess123456789 princess1234567890
    princess12345678910 princessprincess princessprincess1 purple123456789 purple1234567890 purple12345678910
    purplepurplepurple q1w2e3r4q1w2e3r4 q1w2e3r4t5y6u7i8 q1w2e3r4t5y6u7i8o9p0 qazwsxedc123456 qazwsxedcrfvtgb
    qazwsxedcrfvtgbyhn qazwsxedcrfvtgbyhnujm qweasdzxc123456 qweasdzxcqweasdzxc qwerty123456789 qwerty1234567890
    qwerty12345678910 qwertyqwertyqwerty qwertyuiop12345 qwertyuiop123456 qwertyuiop1234567890 qwertyuiopasdfgh
    qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm qwertzuiopasdfgh ranger123456789 ranger1234567890
    ranger12345678910 rangerrangerranger realmadridcf1902 rememberme12345 remembermeremember rootrootrootroot
    samsung123456789 samsung1234567890 samsung12345678910 samsungsamsungsamsung sanfrancisco49ers secret123456789
    secret1234567890 secret12345678910 secretpassword123 secretsecretsecret shadow123456789 shadow1234567890
    shadow12345678910 shadowshadowshadow silver123456789 silver1234567890 silver12345678910 silversilversilver
    slipknotslipknot soccer123456789 soccer1234567890 soccer12345678910 soccersoccersoccer spongebobsquarepants
    spring123456789 spring1234567890 spring12345678910 springspringspring starwars123456789 starwars1234567890
    starwars12345678910 starwarsstarwars summer123456789 summer1234567890 summer12345678910 summersummer2024
    summersummersummer sunshine123456789 sunshine1234567890 sunshine12345678910 sunshinesunshine superman123456789
    superman1234567890 superman12345678910 supermansuperman supersecretpassword sweetheart12345 sweetheart123456
    taylorswift12345 teenagemutantninja temporarypassword test12345678910 testingtesting123 testtesttesttest
    thequickbrownfox thequickbrownfoxjumps thequickbrownfoxjumpsoverthelazydog thisisapassword thisisasecurepassword
    thisismypassword tobeornottobe123 tobeornottobethat toortoortoortoor transformers123 trustno1123456789
    trustno11234567890 trustno112345678910 trustno1trustno1 unitedkingdom123 unitedstatesofamerica welcome123456789
    welcome1234567890 welcome12345678910 welcometomyworld welcometothejungle welcomewelcomewelcome whatever123456789
    whatever1234567890 whatever12345678910 whateverwhatever winter123456789 winter1234567890 winter12345678910
    winterwinter2025 winterwinterwinter worldofwarcraft worldofwarcraft1 youllneverwalkalone zaq12wsxcde34rfv
    zaq1xsw2cde3vfr4 zxcvbnm123456789 zxcvbnmasdfghjkl zxcvbnmasdfghjklqwertyuiop zxcvzxcvzxcvzxcv
    zyxwvutsrqponmlkjihgfedcba
    """
}
