# A database: shadow processes read blocks, writers put them back, and a log is written, both stable at once.
set $block=8k
define fileset name=data,path=/oradata,size=1g,entries=4,dirwidth=1024,prealloc=100,reuse
define fileset name=redo,path=/oralog,size=256m,entries=1,dirwidth=1024,prealloc=100,reuse

define process name=log,instances=1
{
  thread name=writer,memsize=1m
  {
    flowop aiowrite name=redo,filesetname=redo,
      iosize=256k,random,dsync
  }
}

define process name=database,instances=10
{
  thread name=writer,memsize=1m
  {
    flowop aiowrite name=blocks,filesetname=data,iosize=$block,random,iters=100,dsync
  }
}

define process name=shadow,instances=200
{
  thread name=reader,memsize=1m
  {
    flowop read name=blocks,filesetname=data,iosize=$block,random
    flowop delay name=think,value=0.01
  }
}
run 1
